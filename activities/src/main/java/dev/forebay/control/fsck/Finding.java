package dev.forebay.control.fsck;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.RegionName;
import org.jspecify.annotations.Nullable;

/**
 * Something that one store has lost, or about which two stores disagree.
 *
 * @param version null if the finding is about a whole region, or about an object that names no
 *     version
 * @param region null if the finding is not about a region
 * @param message what is wrong
 * @param remedy what {@code --repair} does, or what the operator has to do
 * @param problem why the repair failed; null if it did not
 */
public record Finding(
        Kind kind,
        @Nullable DatasetVersion version,
        @Nullable RegionName region,
        String message,
        String remedy,
        State state,
        @Nullable String problem) {

    /** The kind of a finding. */
    public enum Kind {
        /** Another store has a version that is not in the catalogue. */
        VERSION_MISSING,
        /** A frozen version has no pointer beside the manifests. */
        POINTER_MISSING,
        /** A pointer does not name a manifest. */
        POINTER_DAMAGED,
        /** The manifest bucket does not have a version's manifest. */
        MANIFEST_MISSING,
        /** The manifest bucket has other bytes under a manifest's name. */
        MANIFEST_DAMAGED,
        /** Two stores assign different manifests to a version. */
        MANIFEST_DIFFERS,
        /** No workflow runs for a version that is in a region. */
        WORKFLOW_MISSING,
        /** The catalogue disagrees with the version's workflow. */
        CATALOGUE_DIFFERS,
        /** The workflow says CACHED, but the version is not in the region's mount table. */
        MOUNT_MISSING,
        /** The region's mount table has a version that its workflow does not have there. */
        MOUNT_UNKNOWN,
        /** The region's mount table says EVICTING, but the workflow runs no eviction. */
        EVICTION_STOPPED,
        /** The workflow says CACHED, but the region's workers lack some of the bytes. */
        BYTES_MISSING,
        /** The workflow has a pin that is not in the region's etcd. */
        PIN_MISSING,
        /** The region's etcd has a pin that the workflow does not have. */
        PIN_UNKNOWN,
        /** A stored chunk did not match its checksums. */
        CHUNK_DAMAGED,
        /** A region did not answer. */
        REGION_SILENT,
        /** A version could not be compared. */
        NOT_COMPARED
    }

    /** The state of a finding. */
    public enum State {
        /** An operator has to repair it. */
        BY_HAND,
        /** {@code --repair} can repair it. */
        REPAIRABLE,
        /** It is repaired. */
        REPAIRED,
        /** A workflow is repairing it. */
        UNDER_WAY,
        /** The repair failed. */
        FAILED
    }
}
