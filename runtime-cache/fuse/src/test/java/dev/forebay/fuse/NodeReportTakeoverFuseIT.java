package dev.forebay.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.fuse.HeldMountFixture.Running;
import dev.forebay.fuse.view.View;
import dev.forebay.membership.NodeReport;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** Checks that a report stays while one pod takes over from another. */
class NodeReportTakeoverFuseIT extends NodeReports {

    /**
     * Checks that the report stays for longer than six intervals, when a dead process's expires.
     */
    private void staysSaid(NodeReport wanted) {
        long end = System.nanoTime() + Duration.ofSeconds(8).toNanos();
        while (System.nanoTime() < end) {
            assertThat(region.nodes()).containsExactly(wanted);
            LockSupport.parkNanos(20_000_000);
        }
    }

    @Test
    void theReportStaysWhenAStandbyReplacesAKilledPod() throws Exception {
        Running pod = region.serving(holder, "pod-0", NODE, OFTEN);
        region.awaitImage();
        readAll();
        awaitSaid(HELD);
        Running standby = region.standby(holder, "pod-1", NODE, OFTEN);

        pod.kill();
        holder.await(HeldMountFixture.serves(standby));
        staysSaid(HELD);

        standby.kill();
        awaitSaid();
    }

    /** In on-demand views the kernel does not know what is held: each process has to check. */
    @Test
    void theReportStaysWhileASuccessorChecksOnDemandVersions() throws Exception {
        Running pod = region.serving(holder, "pod-0", NODE, OFTEN, "--view=on-demand");
        region.awaitView(View.ON_DEMAND);
        readAll();
        awaitSaid(HELD);
        Running standby = region.standby(holder, "pod-1", NODE, OFTEN, "--view=on-demand");

        int _ = pod.stop();
        holder.await(HeldMountFixture.serves(standby));
        staysSaid(HELD);
        assertThat(standby.printed()).contains("is on this node");
    }
}
