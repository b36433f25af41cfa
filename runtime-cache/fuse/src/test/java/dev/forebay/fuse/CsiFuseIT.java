package dev.forebay.fuse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.csi.GetPluginInfoRequest;
import dev.forebay.csi.NodeGetInfoRequest;
import dev.forebay.devstack.server.ChildProcess;
import dev.forebay.devstack.server.Ports;
import dev.forebay.devstack.tool.Toolbox;
import dev.forebay.fuse.HeldMountFixture.Running;
import dev.forebay.fuse.view.View;
import io.grpc.Status;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Runs the driver as a process, as a kubelet uses it, on a held mount. */
class CsiFuseIT extends CsiSetUp {

    @Test
    void aVolumeShowsItsVersionOnDemandEvenIfTheTreeIsNative() throws Exception {
        Running holder = region.holder();
        Running _ = region.serving(holder, "pod-0");
        Running _ = driver();
        Path early = target("early");

        client.publish(VERSION, early);

        List<String> published = ImageTreeContract.mountsAt(early);
        assertThat(published).hasSize(1);
        assertShowsAll(early);
        region.awaitView(View.NATIVE);
        assertThat(ImageTreeContract.mountsAt(early)).isEqualTo(published);

        Path late = target("late");
        client.publish(VERSION, late);
        assertThat(ImageTreeContract.mountsAt(late)).hasSize(1);
        assertThat(ImageTreeContract.mountsAt(late).getFirst()).doesNotContain("/native/");
        assertThat(region.view()).as("the tree keeps its native view").isEqualTo(View.NATIVE);
        assertShowsAll(late);
        assertThatThrownBy(() -> Files.createFile(late.resolve("new")))
                .isInstanceOf(FileSystemException.class)
                .hasMessageContaining("Read-only");

        client.unpublish(early);
        assertThat(early).doesNotExist();
        assertShowsAll(late);
    }

    @Test
    void aVolumeOfAVersionWithoutAnImageIsPortable() throws Exception {
        Running _ = region.serving(region.holder(), "pod-0", "--view=portable");
        region.mount(OTHER);
        Running _ = driver("--image-timeout=1");
        Path target = target("1");

        client.publish(VERSION, target);
        List<String> published = ImageTreeContract.mountsAt(target);
        assertThat(published).hasSize(1);
        assertThat(published.getFirst()).contains(" /vision/digits/v1 ", " - fuse.forebay ");
        assertShowsAll(target);
        client.publish(VERSION, target);
        assertThat(ImageTreeContract.mountsAt(target)).isEqualTo(published);
        assertThat(refusal(() -> client.publish(OTHER, target)).getCode())
                .isEqualTo(Status.Code.ALREADY_EXISTS);
        client.unpublish(target);
        assertThat(target).doesNotExist();
    }

    @Test
    void publishAndUnpublishAreIdempotent() throws Exception {
        Running _ = region.serving(region.holder(), "pod-0");
        region.mount(OTHER);
        Running _ = driver();
        Path target = target("1");
        client.unpublish(target);

        client.publish(VERSION, target);
        List<String> published = ImageTreeContract.mountsAt(target);
        client.publish(VERSION, target);
        assertThat(ImageTreeContract.mountsAt(target)).isEqualTo(published);

        Status refusal = refusal(() -> client.publish(OTHER, target));
        assertThat(refusal.getCode()).isEqualTo(Status.Code.ALREADY_EXISTS);
        assertThat(refusal.getDescription())
                .isEqualTo(
                        "target_path %s has a volume other than %s: unpublish it first"
                                .formatted(target, OTHER));
        assertShowsAll(target);

        client.unpublish(target);
        client.unpublish(target);
        assertThat(target).doesNotExist();
        client.publish(OTHER, target);
        assertShowsAll(target);
    }

    @Test
    void theDriverRefusesTargetsThatAreNotItsVolumes() throws Exception {
        Running _ = region.serving(region.holder(), "pod-0");
        Running _ = driver();
        Path target = target("1");
        Path file = Files.createDirectory(target).resolve("of-somebody");
        Files.writeString(file, "else");

        assertThat(refusal(() -> client.publish(VERSION, target)).getDescription())
                .contains("target_path " + target + " is not empty");
        Status refusal = refusal(() -> client.unpublish(target));
        assertThat(refusal.getCode()).isEqualTo(Status.Code.FAILED_PRECONDITION);
        assertThat(file).hasContent("else");
        assertThat(refusal(() -> client.publish(VERSION, directory.resolve("x"))).getDescription())
                .contains("must be below --kubelet-directory");
    }

    private static int status(int port, String path) throws Exception {
        HttpURLConnection connection =
                (HttpURLConnection)
                        URI.create("http://127.0.0.1:%d/health/%s".formatted(port, path))
                                .toURL()
                                .openConnection();
        connection.setReadTimeout((int) TIMEOUT.toMillis());
        return connection.getResponseCode();
    }

    /** A supervisor restarts them by these answers. */
    @Test
    void holderAndDriverReportTheirHealth() throws Exception {
        int holderPort = Ports.free();
        int driverPort = Ports.free();
        Running _ = driver("--health-port=" + driverPort);
        assertThat(status(driverPort, "live")).isEqualTo(200);
        assertThat(status(driverPort, "ready")).as("ready without a mount").isEqualTo(200);

        Running _ = region.holder("--health-port=" + holderPort);
        assertThat(status(holderPort, "live")).isEqualTo(200);
        assertThat(status(holderPort, "ready")).isEqualTo(200);

        // A process whose socket is gone cannot be reached, so it is not live.
        Files.delete(socket);
        assertThat(status(driverPort, "live")).isEqualTo(503);
        Files.delete(directory.resolve("holder/holder.sock"));
        assertThat(status(holderPort, "live")).isEqualTo(503);
        assertThat(status(holderPort, "ready")).isEqualTo(503);
    }

    @Test
    void theDriverReportsItsNameVersionAndNode() throws Exception {
        Running _ = driver();

        assertThat(client.identity().getPluginInfo(GetPluginInfoRequest.getDefaultInstance()))
                .satisfies(
                        info -> {
                            assertThat(info.getName()).isEqualTo("csi.forebay.dev");
                            assertThat(info.getVendorVersion()).isNotEmpty();
                        });
        assertThat(client.node().nodeGetInfo(NodeGetInfoRequest.getDefaultInstance()).getNodeId())
                .isEqualTo("node-1");
        assertThat(Files.getPosixFilePermissions(socket)).hasSize(2);
    }

    /** The test brings its own controller, whose volumes show one version. */
    @Test
    void theDriverPassesCsiSanity() throws Exception {
        Running _ = region.serving(region.holder(), "pod-0");
        Running _ = driver();
        Path controller = directory.resolve("controller.sock");
        Path output = directory.resolve("csi-sanity.log");
        targets.add(kubelet.resolve("csi-mount/target"));

        try (CsiVolumes _ = new CsiVolumes(controller, Map.of("dataset", VERSION.toString()))) {
            int exit =
                    ChildProcess.start(
                                    new ProcessBuilder(
                                                    Toolbox.ofThisMachine().csiSanity().toString(),
                                                    "--csi.endpoint=" + socket,
                                                    "--csi.controllerendpoint=" + controller,
                                                    "--csi.mountdir="
                                                            + kubelet.resolve("csi-mount"),
                                                    "--csi.stagingdir="
                                                            + kubelet.resolve("csi-staging"),
                                                    "--ginkgo.focus=Identity Service|Node Service",
                                                    "--ginkgo.no-color",
                                                    "--ginkgo.v")
                                            .redirectErrorStream(true)
                                            .redirectOutput(output.toFile()))
                            .waitFor();
            assertThat(exit).as(Files.readString(output)).isZero();
        }
        assertThat(Files.readString(output))
                .containsPattern("SUCCESS! -- [1-9][0-9]* Passed \\| 0 Failed");
    }
}
