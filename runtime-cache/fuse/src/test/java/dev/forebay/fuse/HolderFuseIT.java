package dev.forebay.fuse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.fuse.HeldMountFixture.Running;
import dev.forebay.fuse.HeldMountFixture.Seen;
import dev.forebay.fuse.view.View;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Checks holders that are killed, replaced, late, or short of descriptors, and an unavailable etcd.
 */
class HolderFuseIT extends Takeovers {

    HolderFuseIT() {
        super(View.ON_DEMAND);
    }

    @Test
    void aNewHolderTakesTheMountBackFromAStandby() throws Exception {
        Running holder = region.holder();
        Running serving = region.serving(holder, "pod-0", option);
        Running standby = region.standby(holder, "pod-1", option);
        List<Running> readers = readers();
        awaitAnyMoment();
        holder.kill();
        awaitAnyMoment();
        long killed = serving.kill();
        Running next = region.holder();
        assertThat(next.printed()).contains("Recovered");
        awaitServing(standby, next, killed);
        Seen seen = HeldMountFixture.end(readers);
        assertNobodyNoticed(seen);
    }

    @Test
    void aNewHolderLetsTheServingPodContinue() throws Exception {
        Running holder = region.holder();
        Running serving = region.serving(holder, "pod-0", option);
        Running standby = region.standby(holder, "pod-1", option);
        List<Running> readers = readers();
        // Stopped, so that the standby finds the new holder first.
        long stopped = CheckingReader.micros();
        serving.signal("STOP");
        holder.kill();
        Running next = region.holder();
        serving.signal("CONT");
        awaitServing(serving, next, stopped);
        assertThat(next.printed()).doesNotContain(HeldMountFixture.serves(standby));
        awaitServing(standby, next, serving.kill());
        assertNobodyNoticed(HeldMountFixture.end(readers));
    }

    /** "Reading without the control plane". */
    @Test
    void aPodThatStartsWhileEtcdIsAwayTakesOver() throws Exception {
        Running holder = region.holder();
        Running serving = region.serving(holder, "pod-0", option);
        List<Running> readers = readers();
        region.whileEtcdIsAway(
                () -> {
                    long killed = serving.kill();
                    awaitServing(region.pod("pod-0", option), holder, killed);
                    awaitAnyMoment();
                });
        assertNobodyNoticed(HeldMountFixture.end(readers));
    }

    /** Happens when a release is uninstalled, or a node is removed from it. */
    @Test
    void theMountEndsOnceHolderAndAllPodsHaveExited() throws Exception {
        Running holder = region.holder("--no-unmount", "--drain=60");
        Running serving = region.serving(holder, "pod-0", option);
        Running standby = region.standby(holder, "pod-1", option);
        region.awaitView(view);
        holder.signal("TERM");
        assertThat(standby.stop()).isEqualTo(143);
        assertThat(region.mounted()).isTrue();
        assertThat(region.saidToBeMounted()).isTrue();
        assertThat(serving.stop()).isEqualTo(143);
        assertThat(holder.stop()).isEqualTo(143);
        assertThat(region.mounted()).isFalse();
        assertThat(region.saidToBeMounted()).isFalse();
    }

    @Test
    void aHolderThatExitsLeavesTheMountToTheServingPod() throws Exception {
        Running holder = region.holder("--no-unmount", "--drain=1");
        Running serving = region.serving(holder, "pod-0", option);
        assertThat(holder.stop()).isEqualTo(143);
        assertThat(region.root().resolve("small/007"))
                .hasBinaryContent(CheckingReader.objects().get("small/007"));
        Running next = region.holder();
        next.await(HeldMountFixture.serves(serving));
    }

    /** With the portable view, because an image's pages stay in the page cache. */
    @Test
    void aNewHolderMountsAgainAfterHolderAndPodAreKilled() throws Exception {
        String portable = "--view=portable";
        Running holder = region.holder();
        Running serving = region.serving(holder, "pod-0", portable);
        Path file = region.root().resolve("small/007");
        byte[] expected = CheckingReader.objects().get("small/007");
        assertThat(file).hasBinaryContent(expected);
        holder.kill();
        serving.kill();
        assertThatThrownBy(() -> Files.list(region.root())).hasMessageContaining("not connected");
        Running next = region.holder();
        assertThat(next.printed()).contains("The process of mount");
        serving = region.pod("pod-0", portable);
        next.await(HeldMountFixture.serves(serving));
        assertThat(file).hasBinaryContent(expected);
    }

    @Test
    void aPodStartedBeforeItsHolderWaitsForIt() throws Exception {
        Running pod = region.pod("pod-0", option);
        pod.await("Waiting for a holder");
        Running holder = region.holder();
        holder.await(HeldMountFixture.serves(pod));
        assertThat(region.root().resolve("small/007"))
                .hasBinaryContent(CheckingReader.objects().get("small/007"));
    }

    @Test
    void aHolderAcceptsAWaitingPodOnceItHasDescriptorsAgain() throws Exception {
        Running holder = region.holder();
        holder.limitDescriptors(3);
        Running pod = region.pod("pod-0", option);
        holder.await("Cannot accept connections of servers");
        holder.limitDescriptors(1024);
        holder.await(HeldMountFixture.serves(pod));
        assertThat(region.root().resolve("small/007"))
                .hasBinaryContent(CheckingReader.objects().get("small/007"));
    }
}
