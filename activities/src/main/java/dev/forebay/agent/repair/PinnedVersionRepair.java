package dev.forebay.agent.repair;

import dev.forebay.agent.workers.CoverageCheck;
import dev.forebay.agent.workers.Workers;
import dev.forebay.manifest.Manifest;
import dev.forebay.membership.Mount;
import dev.forebay.membership.Pin;
import dev.forebay.membership.RegionView;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ManifestRef;
import dev.forebay.thread.PeriodicTask;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jboss.logging.Logger;

/**
 * Keeps pinned versions complete when workers are lost. It reports an incomplete pinned version to
 * its workflow, which confirms the coverage again and fills what is missing.
 *
 * <p>Unpinned versions may stay incomplete. The next request for a receipt finds that.
 */
public final class PinnedVersionRepair implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(PinnedVersionRepair.class);

    private static final Duration TICK = Duration.ofSeconds(1);

    private final Workers workers;
    private final Function<ManifestRef, ? extends Manifest> manifests;
    private final Predicate<DatasetVersion> notice;
    private final RepairSchedule schedule;
    private final PeriodicTask task =
            new PeriodicTask(
                    Thread.ofVirtual().name("upkeep"),
                    TICK,
                    "Cannot check whether pinned versions are complete",
                    this::tick);

    /**
     * @param manifests opens them; each is closed after use
     * @param notice signals a version's workflow, and returns whether that arrived
     */
    public PinnedVersionRepair(
            Workers workers,
            Function<ManifestRef, ? extends Manifest> manifests,
            Predicate<DatasetVersion> notice,
            RepairSchedule schedule) {
        this.workers = workers;
        this.manifests = manifests;
        this.notice = notice;
        this.schedule = schedule;
    }

    /** Starts the checks, which run until closed. */
    public void start() {
        task.startAfterPause();
    }

    /** Records a change of the region. */
    public void changed(RegionView view) {
        schedule.seen(view, System.nanoTime());
    }

    private void tick() {
        if (!schedule.isDue(System.nanoTime())) {
            return;
        }
        boolean checked = false;
        try {
            check();
            checked = true;
        } finally {
            if (!checked) {
                schedule.goesOn(System.nanoTime());
            }
        }
    }

    /**
     * Checks all pinned versions once.
     *
     * @throws ForebayException if the region could not be asked
     */
    void check() {
        List<Mount> incomplete =
                pinned(workers.view()).stream().filter(mount -> !isComplete(mount)).toList();
        for (Mount mount : incomplete) {
            LOG.infof("Pinned version %s is no longer complete", mount.version());
            boolean _ = notice.test(mount.version());
        }
        if (incomplete.isEmpty()) {
            schedule.calm(System.nanoTime());
        } else {
            schedule.goesOn(System.nanoTime());
        }
    }

    /** Leaves out versions that are being filled, because their workflows follow them anyway. */
    private static List<Mount> pinned(RegionView view) {
        Set<DatasetVersion> held =
                view.pins().stream().map(Pin::version).collect(Collectors.toSet());
        return view.mounts().stream()
                .filter(mount -> mount.state() == Mount.State.CACHED)
                .filter(mount -> held.contains(mount.version()))
                .toList();
    }

    private boolean isComplete(Mount mount) {
        try (Manifest manifest = manifests.apply(mount.manifest())) {
            return new CoverageCheck(workers)
                    .of(mount.version(), mount.manifest().digest(), manifest)
                    .complete();
        }
    }

    @Override
    public void close() {
        task.close();
    }
}
