package dev.forebay.agent.repair;

import static dev.forebay.agent.workers.FakeWorkers.MANIFEST;
import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.agent.workers.FakeManifest;
import dev.forebay.agent.workers.FakeWorkers;
import dev.forebay.agent.workers.ForwardingWorkers;
import dev.forebay.membership.Mount;
import dev.forebay.membership.Pin;
import dev.forebay.membership.RegionView;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ManifestRef;
import dev.forebay.testing.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

class PinnedVersionRepairTest {

    private static final ManifestRef REF = new ManifestRef("s3://b/k", MANIFEST, 1, 1, 2);
    private static final DatasetVersion PINNED = DatasetVersion.parse("a/b@pinned");

    private final FakeWorkers fake = new FakeWorkers().with("one", "other");
    private final List<Mount> mounts = new ArrayList<>();
    private final List<Pin> pins = new ArrayList<>();
    private final List<DatasetVersion> noticed = new CopyOnWriteArrayList<>();
    private final RepairSchedule schedule =
            new RepairSchedule(Duration.ofSeconds(60), Duration.ofHours(1), 0);
    private final PinnedVersionRepair upkeep = upkeep(schedule);

    /** Makes the next check fail once, as for lack of memory. */
    private volatile boolean fails;

    private PinnedVersionRepair upkeep(RepairSchedule when) {
        return new PinnedVersionRepair(
                new ForwardingWorkers(fake) {
                    @Override
                    public RegionView view() {
                        if (fails) {
                            fails = false;
                            throw new OutOfMemoryError("simulated");
                        }
                        RegionView now = super.view();
                        return new RegionView(now.workers(), now.live(), mounts, pins);
                    }
                },
                ref -> new FakeManifest(2),
                noticed::add,
                when);
    }

    @Test
    void upkeepReportsAPinnedVersionThatIsIncomplete() {
        pin(PINNED, Mount.State.CACHED);
        mount(DatasetVersion.parse("a/b@free"), Mount.State.CACHED);
        pin(DatasetVersion.parse("a/b@filling"), Mount.State.WARMING);
        fake.holds("one", 0);

        upkeep.check();

        assertThat(noticed).containsExactly(PINNED);
        assertThat(schedule.isDue(System.nanoTime() + Duration.ofSeconds(61).toNanos())).isTrue();
    }

    @Test
    void upkeepReportsNoCompleteVersion() {
        pin(PINNED, Mount.State.CACHED);
        fake.holds("one", 0);
        fake.holds("other", 1);

        upkeep.check();

        assertThat(noticed).isEmpty();
        assertThat(schedule.isDue(System.nanoTime() + Duration.ofSeconds(61).toNanos())).isFalse();
    }

    @Test
    void upkeepCountsTheChunksOfAWorkerThatIsDownAsMissing() {
        pin(PINNED, Mount.State.CACHED);
        fake.holds("one", 0);
        fake.holds("other", 1);
        fake.down("other");

        upkeep.check();

        assertThat(noticed).containsExactly(PINNED);
    }

    @Test
    void upkeepChecksAgainAfterACheckFails() {
        pin(PINNED, Mount.State.CACHED);
        fails = true;
        Duration grace = Duration.ofMillis(1);
        try (PinnedVersionRepair looking =
                upkeep(new RepairSchedule(grace, Duration.ofHours(1), System.nanoTime()))) {
            looking.start();
            Await.until("noticed", () -> noticed.contains(PINNED));
        }
        assertThat(fails).isFalse();
    }

    private void pin(DatasetVersion version, Mount.State state) {
        mount(version, state);
        pins.add(new Pin(version, "p", "me", "", Duration.ofMinutes(1)));
    }

    private void mount(DatasetVersion version, Mount.State state) {
        mounts.add(new Mount(version, REF, state));
    }
}
