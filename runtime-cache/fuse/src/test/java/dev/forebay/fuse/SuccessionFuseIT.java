package dev.forebay.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.fuse.HeldMountFixture.Running;
import dev.forebay.fuse.HeldMountFixture.Seen;
import dev.forebay.fuse.view.View;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Checks which pod serves when one is stopped, and takeovers of images on loop devices. */
class SuccessionFuseIT extends Takeovers {

    SuccessionFuseIT() {
        super(View.ON_DEMAND);
    }

    /** An image on loop devices has direct reads too. */
    @Test
    void readersOfLoopDevicesDoNotNoticeATakeover() throws Exception {
        String[] options = {option, "--image-devices=loops"};
        Running holder = region.holder();
        Running serving = region.serving(holder, "pod-0", options);
        Running standby = region.standby(holder, "pod-1", options);
        List<Running> readers = readers(EnumSet.allOf(CheckingReader.Way.class));
        List<Long> times = kills(holder, serving, standby, options);
        Seen seen = assertNobodyNoticed(readers, "killed, with a standby, by loop devices", times);
        assertMedian(seen, times, SHORT_PAUSE);
    }

    /** The stopped pod has taken requests, keeps its connection, and continues later. */
    @Test
    void aStandbyReplacesAFrozenPod() throws Exception {
        Running holder = region.holder("--replace-after=2");
        Running serving = region.serving(holder, "pod-0", option);
        Running standby = region.standby(holder, "pod-1", option);
        List<Running> readers = readers();
        awaitAnyMoment();
        long time = CheckingReader.micros();
        serving.signal("STOP");
        awaitServing(standby, holder, time);
        awaitAnyMoment();
        serving.signal("CONT");
        assertThat(serving.process().waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(serving.printed()).contains("another one serves now");
        assertNobodyNoticed(readers, "stopped", List.of(time));
    }

    /** The stopped pod is the first in line, and has not answered the holder since it can serve. */
    @Test
    void theHolderSkipsAStandbyThatFreezesAfterItJoins() throws Exception {
        Running holder = region.holder("--replace-after=2");
        Running serving = region.serving(holder, "pod-0", option);
        Running _ = stoppedStandby(holder);
        Running standby = region.standby(holder, "pod-2", option);
        List<Running> readers = readers();
        awaitAnyMoment();
        long killed = serving.kill();
        awaitServing(standby, holder, killed);
        long[] gap = unserved.getLast();
        assertThat(gap[1] - gap[0]).isLessThan(TimeUnit.SECONDS.toMicros(2 + MARGIN_SECONDS));
        assertNobodyNoticed(readers, "killed, with a standby that is stopped", List.of(killed));
    }

    /** The holder orders the stopped pod to serve. The pod reads that when another one serves. */
    @Test
    void aFrozenStandbyThatWasReplacedDoesNotServeLater() throws Exception {
        Running holder = region.holder("--replace-after=2");
        Running serving = region.serving(holder, "pod-0", option);
        Running stopped = stoppedStandby(holder);
        List<Running> readers = readers();
        awaitAnyMoment();
        long killed = serving.kill();
        Running next = region.pod("pod-2", option);
        awaitServing(next, holder, killed);
        stopped.signal("CONT");
        assertThat(stopped.process().waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(stopped.printed()).contains("another one serves now");
        assertThat(holder.printed()).doesNotContain(HeldMountFixture.serves(stopped));
        assertNobodyNoticed(readers, "killed, with only one that is stopped", List.of(killed));
    }

    private Running stoppedStandby(Running holder) throws Exception {
        Running standby = region.pod("pod-1", option);
        holder.await("Process %d can serve".formatted(standby.process().pid()));
        standby.signal("STOP");
        return standby;
    }
}
