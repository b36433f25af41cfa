package dev.forebay.fuse.csi;

import dev.forebay.csi.NodePublishVolumeRequest;
import dev.forebay.csi.VolumeCapability;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * A valid request to publish.
 *
 * @param target absolute
 */
record Publication(Path target, DatasetVersion version) {

    /** The only attribute of a volume. */
    static final String DATASET = "dataset";

    /** Prefixes of attributes that Kubernetes and its provisioner add. */
    private static final List<String> FOREIGN =
            List.of("csi.storage.k8s.io/", "storage.kubernetes.io/");

    private static final String LATEST = "latest";

    /**
     * Validates a request.
     *
     * @throws ForebayException {@code INVALID_ARGUMENT}, naming field, value and rule
     */
    static Publication of(NodePublishVolumeRequest request) {
        requireVolume(request.getVolumeId());
        Path target = Targets.parse(request.getTargetPath());
        if (!request.hasVolumeCapability()) {
            throw refused("volume_capability is missing; it must be a mount");
        }
        requireReadable(request.getVolumeCapability());
        return new Publication(target, version(request.getVolumeContextMap()));
    }

    static void requireVolume(String id) {
        if (id.isEmpty()) {
            throw refused("volume_id is missing; it names the volume");
        }
    }

    private static void requireReadable(VolumeCapability capability) {
        switch (capability.getAccessTypeCase()) {
            case MOUNT -> requirePlain(capability.getMount());
            case BLOCK ->
                    throw refused(
                            "volume_capability is block; a dataset is a tree of files, so it must"
                                    + " be mount (volumeMode: Filesystem)");
            case ACCESSTYPE_NOT_SET ->
                    throw refused("volume_capability has no access_type; it must be mount");
        }
        requireReadable(capability.getAccessMode().getMode());
    }

    private static void requirePlain(VolumeCapability.MountVolume mount) {
        if (!mount.getFsType().isEmpty()) {
            throw refused(
                    "volume_capability.mount.fs_type is '%s'; it must be empty"
                            .formatted(mount.getFsType()));
        }
        for (String flag : mount.getMountFlagsList()) {
            if (!flag.equals("ro")) {
                throw refused(
                        "volume_capability.mount.mount_flags has '%s'; the only supported flag is ro"
                                .formatted(flag));
            }
        }
    }

    private static void requireReadable(VolumeCapability.AccessMode.Mode mode) {
        switch (mode) {
            // Orchestrators send SINGLE_NODE_WRITER for inline volumes, even if the pod only reads.
            case SINGLE_NODE_WRITER,
                    SINGLE_NODE_SINGLE_WRITER,
                    SINGLE_NODE_MULTI_WRITER,
                    SINGLE_NODE_READER_ONLY,
                    MULTI_NODE_READER_ONLY -> {}
            case MULTI_NODE_SINGLE_WRITER, MULTI_NODE_MULTI_WRITER ->
                    throw refused(
                            "volume_capability.access_mode is %s; a dataset can only be read, so it"
                                            .formatted(mode)
                                    + " must be MULTI_NODE_READER_ONLY (ReadOnlyMany)");
            case UNKNOWN, UNRECOGNIZED ->
                    throw refused(
                            "volume_capability.access_mode is missing or unknown; it must be"
                                    + " MULTI_NODE_READER_ONLY (ReadOnlyMany)");
        }
    }

    private static DatasetVersion version(Map<String, String> attributes) {
        for (String name : attributes.keySet()) {
            if (!name.equals(DATASET) && FOREIGN.stream().noneMatch(name::startsWith)) {
                throw refused(
                        "volume_context has '%s'; the only attribute of a volume is '%s'"
                                .formatted(name, DATASET));
            }
        }
        String text = attributes.get(DATASET);
        if (text == null) {
            throw refused(
                    "volume_context has no '%s'; it must be the version to mount, as namespace/name@version"
                            .formatted(DATASET));
        }
        DatasetVersion version;
        try {
            version = DatasetVersion.parse(text);
        } catch (ForebayException e) {
            throw new ForebayException(
                    e.code(),
                    "volume_context '%s' is '%s': %s".formatted(DATASET, text, e.getMessage()),
                    e);
        }
        if (version.version().equals(LATEST)) {
            throw refused(
                    "volume_context '%s' is '%s'; a volume shows one version as long as it lives,"
                                    .formatted(DATASET, text)
                            + " so it must be named");
        }
        return version;
    }

    private static ForebayException refused(String message) {
        return new ForebayException(ErrorCode.INVALID_ARGUMENT, message);
    }
}
