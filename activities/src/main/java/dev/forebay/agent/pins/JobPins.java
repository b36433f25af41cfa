package dev.forebay.agent.pins;

import dev.forebay.agent.jobs.Jobs;
import dev.forebay.membership.Pin;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ForebayException;
import dev.forebay.thread.PeriodicTask;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jboss.logging.Logger;

/**
 * Ends pins with the Kubernetes Jobs that they name, so that no pin outlives its Job by the rest of
 * its lease. Renews pins that only the agent renews while their Jobs run.
 *
 * <p>Each round compares all pins with all Jobs, so missed events do no harm. The end of a Job only
 * starts a round at once. A pin ends only by an answer that was requested after the pin was seen. A
 * watch that breaks, expires or lags therefore ends no pin. Several agents may do this at the same
 * time.
 */
public final class JobPins implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(JobPins.class);

    /**
     * The pause after each round, even a failed one, because a round lists the Jobs of the whole
     * cluster.
     */
    private static final Duration PAUSE = Duration.ofSeconds(5);

    private static final int TICKS_IN_A_PAUSE = 5;

    private final Jobs jobs;
    private final Supplier<List<Pin>> pins;
    private final Predicate<Pin> end;
    private final Consumer<Pin> renew;
    private final Predicate<DatasetVersion> tell;
    private final long intervalNanos;
    private final Duration pause;
    private final AtomicBoolean jobEnded = new AtomicBoolean();
    private final PeriodicTask task;

    // Used by one thread.
    private long dueNanos = System.nanoTime();
    private long pausedNanos = dueNanos;

    /** Versions whose workflows could not be reached. Used by one thread. */
    private final Set<DatasetVersion> unreported = new HashSet<>();

    /**
     * @param jobs closed with this
     * @param pins returns the known pins of the region
     * @param end ends a pin unless it has been taken again since; returns whether it did
     * @param renew renews a pin whose Job runs, if only the agent renews it
     * @param tell signals a version's workflow that pins have ended; returns whether that arrived
     * @param interval between rounds without a reason
     */
    public JobPins(
            Jobs jobs,
            Supplier<List<Pin>> pins,
            Predicate<Pin> end,
            Consumer<Pin> renew,
            Predicate<DatasetVersion> tell,
            Duration interval) {
        this(jobs, pins, end, renew, tell, interval, PAUSE);
    }

    /**
     * @param pause the shortest time between two rounds
     */
    public JobPins(
            Jobs jobs,
            Supplier<List<Pin>> pins,
            Predicate<Pin> end,
            Consumer<Pin> renew,
            Predicate<DatasetVersion> tell,
            Duration interval,
            Duration pause) {
        this.jobs = jobs;
        this.pins = pins;
        this.end = end;
        this.renew = renew;
        this.tell = tell;
        this.intervalNanos = interval.toNanos();
        this.pause = pause;
        this.task =
                new PeriodicTask(
                        Thread.ofVirtual().name("job-pins"),
                        pause.dividedBy(TICKS_IN_A_PAUSE),
                        "Cannot check whether the Jobs of pins have ended",
                        this::tick);
    }

    /** Starts the rounds, which run until closed. */
    public void start() {
        jobs.onEnd(this::ended);
        task.startAfterPause();
    }

    private void ended(String uid) {
        try {
            if (held().stream().anyMatch(pin -> uid.equals(pin.job()))) {
                jobEnded.set(true);
            }
        } catch (ForebayException nothingKnownYet) {
            LOG.debugf("Job %s ended before the agent could read the region's pins", uid);
        }
    }

    private void tick() {
        long now = System.nanoTime();
        if (now - pausedNanos < 0) {
            return;
        }
        boolean due = jobEnded.getAndSet(false) || now - dueNanos >= 0;
        if (!due && unreported.isEmpty()) {
            return;
        }
        try {
            if (due) {
                dueNanos = now;
                check();
                dueNanos = System.nanoTime() + intervalNanos;
            } else {
                tellAll();
            }
        } finally {
            pausedNanos = System.nanoTime() + pause.toNanos();
        }
    }

    /**
     * Runs one round: checks every pin that names a Job.
     *
     * @throws ForebayException if the API server or etcd does not answer
     */
    void check() {
        List<Pin> held = held();
        if (!held.isEmpty()) {
            Set<String> over = jobs.over(held);
            for (Pin pin : held) {
                if (over.contains(job(pin))) {
                    endPin(pin);
                } else {
                    renew.accept(pin);
                }
            }
        }
        tellAll();
    }

    /**
     * Stops at the first failure: it may take a minute, and the next call would probably fail, too.
     */
    void tellAll() {
        for (DatasetVersion version : List.copyOf(unreported)) {
            if (!tell.test(version)) {
                return;
            }
            unreported.remove(version);
        }
    }

    private void endPin(Pin pin) {
        if (end.test(pin)) {
            LOG.infof(
                    "Ended pin %s of %s on %s, because Job %s has finished",
                    pin.id(), pin.holder(), pin.version(), pin.job());
        }
        // Signals the workflow even if another agent ended the pin, which may have died before its
        // signal.
        unreported.add(pin.version());
    }

    private List<Pin> held() {
        return pins.get().stream().filter(pin -> pin.job() != null).filter(jobs::asksFor).toList();
    }

    private static String job(Pin pin) {
        return Objects.requireNonNull(pin.job());
    }

    @Override
    public void close() {
        task.close();
        jobs.close();
    }
}
