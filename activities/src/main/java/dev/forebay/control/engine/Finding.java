package dev.forebay.control.engine;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.RegionName;
import org.jspecify.annotations.Nullable;

/**
 * Something that one store has lost, or that two stores say differently.
 *
 * @param version null if it is about a whole region, or about an object that names no version
 * @param region null if it is about no region
 * @param message what is wrong
 * @param remedy what {@code --repair} does about it, or what a person has to do
 * @param problem why the repair failed; null unless it did
 */
public record Finding(
        Kind kind,
        @Nullable DatasetVersion version,
        @Nullable RegionName region,
        String message,
        String remedy,
        State state,
        @Nullable String problem) {

    /** What is wrong. */
    public enum Kind {
        /** A version is not in the catalogue, though another store has it. */
        VERSION_MISSING,
        /** A frozen version has no pointer beside the manifests. */
        POINTER_MISSING,
        /** A pointer does not say which manifest the version has. */
        POINTER_DAMAGED,
        /** The manifest bucket does not have a version's manifest. */
        MANIFEST_MISSING,
        /** The manifest bucket has other bytes under a manifest's name. */
        MANIFEST_DAMAGED,
        /** Two stores give one version different manifests. */
        MANIFEST_DIFFERS,
        /** No workflow runs for a version that a region holds. */
        WORKFLOW_MISSING,
        /** The catalogue says something else than the version's workflow. */
        CATALOGUE_DIFFERS,
        /** The workflow says CACHED, and the region's mount table does not have the version. */
        MOUNT_MISSING,
        /** The region's mount table has a version that its workflow does not have there. */
        MOUNT_UNKNOWN,
        /** The region's mount table says EVICTING, and the workflow evicts nothing. */
        EVICTION_STOPPED,
        /** The workflow says CACHED, and the region's workers lack some of the bytes. */
        BYTES_MISSING,
        /** The workflow has a pin that the region's etcd does not have. */
        PIN_MISSING,
        /** The region's etcd has a pin that the workflow does not have. */
        PIN_UNKNOWN,
        /** A stored chunk did not have its checksums. */
        CHUNK_DAMAGED,
        /** A region could not be asked. */
        REGION_SILENT,
        /** A version could not be compared. */
        NOT_COMPARED
    }

    /** What is to become of it, or became of it. */
    public enum State {
        /** A person has to mend it. */
        BY_HAND,
        /** {@code --repair} mends it. */
        REPAIRABLE,
        /** It is mended. */
        REPAIRED,
        /** A workflow mends it now. */
        UNDER_WAY,
        /** The repair failed. */
        FAILED
    }
}
