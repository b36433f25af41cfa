package dev.forebay.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.fuse.HeldMountFixture.Running;
import dev.forebay.fuse.HeldMountFixture.Seen;
import dev.forebay.fuse.view.View;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** The takeovers that depend on the view. More of them: {@code -Dforebay.kills=200}. */
abstract class TakeoverContract extends Takeovers {

    TakeoverContract(View view) {
        super(view);
    }

    @Test
    void aStandbyTakesOverFromAKilledPod() throws Exception {
        Running holder = region.holder();
        Running serving = region.serving(holder, "pod-0", option);
        Running standby = region.standby(holder, "pod-1", option);
        List<Running> readers = readers();
        List<Long> times = kills(holder, serving, standby, option);
        Seen seen = assertNobodyNoticed(readers, "killed, with a standby", times);
        assertMedian(seen, times, SHORT_PAUSE);
        assertThat(holder.stop()).isEqualTo(143);
        assertThat(region.mounted()).isFalse();
    }

    @Test
    void readersWaitForTheNextPodIfThereIsNoStandby() throws Exception {
        Running holder = region.holder();
        Running serving = region.serving(holder, "pod-0", option);
        List<Running> readers = readers();
        List<Long> times = new ArrayList<>();
        for (int kill = 0; kill < Math.ceilDiv(KILLS, 4); kill++) {
            awaitAnyMoment();
            long killed = serving.kill();
            times.add(killed);
            serving = region.pod("pod-0", option);
            awaitServing(serving, holder, killed);
        }
        Seen seen = assertNobodyNoticed(readers, "killed, without a standby", times);
        assertMedian(seen, times, LONG_PAUSE);
    }

    @Test
    void anUpgradeCausesAPauseAndNoError() throws Exception {
        Running holder = region.holder();
        Running serving = region.serving(holder, "pod-0", option);
        List<Running> readers = readers();
        List<Long> times = new ArrayList<>();
        List<Long> quiet = new ArrayList<>();
        for (int upgrade = 1; upgrade <= Math.ceilDiv(KILLS, 4); upgrade++) {
            Running next = region.standby(holder, "pod-" + upgrade % 2, option);
            quiet.add(CheckingReader.micros());
            LockSupport.parkNanos(Seen.COUNTED.toNanos());
            awaitAnyMoment();
            long asked = CheckingReader.micros();
            times.add(asked);
            assertThat(serving.stop()).isEqualTo(143);
            assertThat(holder.printed())
                    .doesNotContain(
                            "Process %d is gone without".formatted(serving.process().pid()));
            awaitServing(next, holder, asked);
            serving = next;
        }
        Seen seen = assertNobodyNoticed(readers, "upgraded", times);
        assertMedian(seen, times, SHORT_PAUSE);
        report(view + ": at moments without an upgrade", seen, quiet);
    }
}
