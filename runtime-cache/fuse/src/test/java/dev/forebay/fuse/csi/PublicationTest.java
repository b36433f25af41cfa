package dev.forebay.fuse.csi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.forebay.csi.NodePublishVolumeRequest;
import dev.forebay.csi.VolumeCapability;
import dev.forebay.csi.VolumeCapability.AccessMode;
import dev.forebay.csi.VolumeCapability.AccessMode.Mode;
import dev.forebay.csi.VolumeCapability.BlockVolume;
import dev.forebay.csi.VolumeCapability.MountVolume;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each refusal names the field, its value and the rule. */
class PublicationTest {

    private static final String TARGET = "/var/lib/kubelet/pods/1/volumes/v/mount";

    /** Returns the request of a kubelet for an inline volume. */
    private static NodePublishVolumeRequest.Builder inline() {
        return NodePublishVolumeRequest.newBuilder()
                .setVolumeId("csi-0123")
                .setTargetPath(TARGET)
                .setVolumeCapability(mount(Mode.SINGLE_NODE_WRITER))
                .putVolumeContext("csi.storage.k8s.io/ephemeral", "true")
                .putVolumeContext("csi.storage.k8s.io/pod.name", "train-0")
                .putVolumeContext("dataset", "search/ko-bert@2026-11-20");
    }

    private static VolumeCapability mount(Mode mode) {
        return VolumeCapability.newBuilder()
                .setMount(MountVolume.getDefaultInstance())
                .setAccessMode(AccessMode.newBuilder().setMode(mode))
                .build();
    }

    private static void refused(NodePublishVolumeRequest.Builder request, String... because) {
        assertThatExceptionOfType(ForebayException.class)
                .isThrownBy(() -> Publication.of(request.build()))
                .satisfies(
                        refusal -> {
                            assertThat(refusal.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
                            assertThat(refusal.getMessage()).contains(because);
                        });
    }

    @Test
    void anInlineVolumeNamesItsVersion() {
        assertThat(Publication.of(inline().build()))
                .isEqualTo(
                        new Publication(
                                Path.of(TARGET),
                                DatasetVersion.of("search", "ko-bert", "2026-11-20")));
    }

    @Test
    void aPersistentVolumeMayBeReadOnlyAndNameItsProvisioner() {
        NodePublishVolumeRequest.Builder request =
                inline().setReadonly(true)
                        .clearVolumeContext()
                        .putVolumeContext("storage.kubernetes.io/csiProvisionerIdentity", "x")
                        .putVolumeContext("dataset", "search/ko-bert@2026-11-20")
                        .setVolumeCapability(
                                mount(Mode.MULTI_NODE_READER_ONLY).toBuilder()
                                        .setMount(MountVolume.newBuilder().addMountFlags("ro")));

        assertThat(Publication.of(request.build()).version())
                .hasToString("search/ko-bert@2026-11-20");
    }

    @Test
    void aRequestWithoutVolumeOrTargetIsRefused() {
        refused(inline().clearVolumeId(), "volume_id is missing");
        refused(inline().clearTargetPath(), "target_path is missing");
    }

    @ParameterizedTest
    @ValueSource(strings = {"relative", "/a/../b", "/a/./b", "/", "/a\0b"})
    void aTargetPathMustBeAbsoluteAndNormalized(String path) {
        refused(inline().setTargetPath(path), "target_path is '" + path + "'");
    }

    @Test
    void aVolumeMustBeAPlainReadOnlyMount() {
        refused(inline().clearVolumeCapability(), "volume_capability is missing");
        refused(
                inline().setVolumeCapability(VolumeCapability.getDefaultInstance()),
                "volume_capability has no access_type");
        refused(
                inline().setVolumeCapability(
                                VolumeCapability.newBuilder()
                                        .setBlock(BlockVolume.getDefaultInstance())),
                "volume_capability is block",
                "must be mount");
        refused(
                inline().setVolumeCapability(
                                mount(Mode.MULTI_NODE_READER_ONLY).toBuilder()
                                        .setMount(MountVolume.newBuilder().setFsType("ext4"))),
                "volume_capability.mount.fs_type is 'ext4'");
        refused(
                inline().setVolumeCapability(
                                mount(Mode.MULTI_NODE_READER_ONLY).toBuilder()
                                        .setMount(MountVolume.newBuilder().addMountFlags("rw"))),
                "mount_flags has 'rw'",
                "the only supported flag is ro");
    }

    @ParameterizedTest
    @EnumSource(
            value = Mode.class,
            names = {"UNKNOWN", "MULTI_NODE_SINGLE_WRITER", "MULTI_NODE_MULTI_WRITER"})
    void unsupportedAccessModesAreRefused(Mode mode) {
        refused(
                inline().setVolumeCapability(mount(mode)),
                "volume_capability.access_mode is",
                "MULTI_NODE_READER_ONLY (ReadOnlyMany)");
    }

    @Test
    void unknownAndMissingAttributesAreRefused() {
        refused(
                inline().putVolumeContext("datset", "x"),
                "volume_context has 'datset'",
                "the only attribute of a volume is 'dataset'");
        refused(inline().removeVolumeContext("dataset"), "volume_context has no 'dataset'");
    }

    @Test
    void theDatasetAttributeMustNameOneVersion() {
        refused(
                inline().putVolumeContext("dataset", "search/ko-bert"),
                "volume_context 'dataset' is 'search/ko-bert'",
                "namespace/name@version");
        refused(
                inline().putVolumeContext("dataset", "search/../x@v1"),
                "volume_context 'dataset' is 'search/../x@v1'");
        refused(
                inline().putVolumeContext("dataset", "search/ko-bert@latest"),
                "'search/ko-bert@latest'",
                "one version as long as it lives");
    }
}
