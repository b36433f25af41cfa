package dev.forebay.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.fuse.HeldMountFixture.Running;
import dev.forebay.fuse.view.View;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Checks what a node reports while a pod reads, and which versions it does not report. */
class NodeReportFuseIT extends NodeReports {

    @Test
    void theReportNamesAVersionFromItsCompletionUntilItsUnmount() throws Exception {
        region.serving(holder, "pod-0", NODE, OFTEN);
        region.awaitImage();
        readAll();
        region.awaitView(View.NATIVE);
        awaitSaid(HELD);

        region.unmount();
        awaitSaid(NOTHING);
    }

    @Test
    void aSuccessorRemovesVersionsThatItCannotFindFromTheReport() throws Exception {
        Running pod =
                region.serving(holder, "pod-0", NODE, "--node-interval=3", "--view=on-demand");
        region.awaitView(View.ON_DEMAND);
        readAll();
        awaitSaid(HELD);

        pod.kill();
        deletePacks();
        // The worker refuses every read at once, so that the packs cannot be fetched again.
        region.changeObjects();
        region.serving(holder, "pod-0", NODE, "--node-interval=3", "--view=on-demand");

        awaitSaid(NOTHING);
    }

    private void deletePacks() throws IOException {
        try (Stream<Path> files = Files.list(directory.resolve("cache/packs"))) {
            for (Path file : files.filter(each -> each.toString().contains(".")).toList()) {
                Files.delete(file);
            }
        }
    }

    @Test
    void aPodWithoutANodeNameReportsNothing() throws Exception {
        Running pod = region.serving(holder, "pod-0", "--node-name=", OFTEN);
        region.awaitImage();
        readAll();
        pod.await("is on this node");

        region.awaitView(View.NATIVE);
        assertThat(region.nodes()).isEmpty();
    }
}
