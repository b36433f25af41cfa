package dev.forebay.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.fuse.HeldMountFixture.Running;
import dev.forebay.fuse.view.View;
import dev.forebay.membership.NodeReport;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.NodeName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a node says in etcd that it holds, by whole pods that are killed and replaced. */
@SuppressWarnings("NullAway.Init") // started before each
class NodeReportFuseIT {

    private static final String NODE = "--node-name=gpu-1";
    private static final String OFTEN = "--node-interval=2";

    private static final NodeReport HELD = report(HeldMountFixture.VERSION);
    private static final NodeReport NOTHING = report();

    @TempDir private Path directory;
    private HeldMountFixture region;
    private Running holder;

    @BeforeEach
    void hold() throws Exception {
        region = new HeldMountFixture(directory);
        holder = region.holder();
    }

    @AfterEach
    void endAll() throws Exception {
        region.close();
    }

    private static NodeReport report(DatasetVersion... versions) {
        return new NodeReport(new NodeName("gpu-1"), List.of(versions));
    }

    private void readAll() {
        TestDataset.assertShows(region.root(), CheckingReader.objects());
    }

    private void awaitSaid(NodeReport... wanted) {
        long deadline = System.nanoTime() + Duration.ofMinutes(2).toNanos();
        while (!region.nodes().equals(List.of(wanted))) {
            assertThat(System.nanoTime()).as("%s", region.nodes()).isLessThan(deadline);
            LockSupport.parkNanos(20_000_000);
        }
    }

    /** For longer than what a dead process has said holds. */
    private void staysSaid(NodeReport wanted) {
        long end = System.nanoTime() + Duration.ofSeconds(14).toNanos();
        while (System.nanoTime() < end) {
            assertThat(region.nodes()).containsExactly(wanted);
            LockSupport.parkNanos(20_000_000);
        }
    }

    @Test
    void aVersionIsNamedWhenItIsHereAsAWholeAndUntilItLeaves() throws Exception {
        region.serving(holder, "pod-0", NODE, OFTEN);
        region.awaitView(View.ON_DEMAND);
        awaitSaid(NOTHING);

        readAll();
        region.awaitView(View.NATIVE);
        awaitSaid(HELD);

        region.unmount();
        awaitSaid(NOTHING);
    }

    @Test
    void whatTheNodeHoldsIsSaidOnWhenAPodIsKilledAndAnotherOneTakesOver() throws Exception {
        Running pod = region.serving(holder, "pod-0", NODE, OFTEN);
        region.awaitView(View.ON_DEMAND);
        readAll();
        awaitSaid(HELD);
        Running standby = region.standby(holder, "pod-1", NODE, OFTEN);

        pod.kill();
        holder.await(HeldMountFixture.serves(standby));
        staysSaid(HELD);

        standby.kill();
        awaitSaid();
    }

    /** There it is not the kernel that says so: each process has to find it out. */
    @Test
    void whatIsReadOnDemandIsSaidOnWhileTheSuccessorFindsItOut() throws Exception {
        Running pod = region.serving(holder, "pod-0", NODE, OFTEN, "--view=on-demand");
        region.awaitView(View.ON_DEMAND);
        readAll();
        awaitSaid(HELD);
        Running standby = region.standby(holder, "pod-1", NODE, OFTEN, "--view=on-demand");

        var _ = pod.stop();
        holder.await(HeldMountFixture.serves(standby));
        staysSaid(HELD);
        assertThat(standby.printed()).contains("is on this node");
    }

    @Test
    void whatASuccessorDoesNotFindIsNotSaidAnyMore() throws Exception {
        Running pod =
                region.serving(holder, "pod-0", NODE, "--node-interval=5", "--view=on-demand");
        region.awaitView(View.ON_DEMAND);
        readAll();
        awaitSaid(HELD);

        pod.kill();
        deletePacks();
        region.stopWorker();
        region.serving(holder, "pod-0", NODE, "--node-interval=5", "--view=on-demand");

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
    void aPodThatIsToldOfNoNodeSaysNothing() throws Exception {
        Running pod = region.serving(holder, "pod-0", "--node-name=", OFTEN);
        region.awaitView(View.ON_DEMAND);
        readAll();
        pod.await("is on this node");

        region.awaitView(View.NATIVE);
        assertThat(region.nodes()).isEmpty();
    }
}
