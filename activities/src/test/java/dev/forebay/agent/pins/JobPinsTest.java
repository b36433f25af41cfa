package dev.forebay.agent.pins;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.forebay.agent.jobs.Jobs;
import dev.forebay.membership.Pin;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.testing.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class JobPinsTest {

    private static final DatasetVersion VERSION = DatasetVersion.parse("a/b@v1");

    private final List<Pin> pins = new CopyOnWriteArrayList<>();
    private final List<DatasetVersion> told = new ArrayList<>();
    private final List<Pin> renewed = new ArrayList<>();
    private final FakeJobs jobs = new FakeJobs();
    private boolean reached = true;

    private JobPins jobPins() {
        return new JobPins(
                jobs,
                () -> pins,
                pins::remove,
                renewed::add,
                this::tell,
                Duration.ofHours(1),
                Duration.ofMillis(50));
    }

    private boolean tell(DatasetVersion version) {
        told.add(version);
        return reached;
    }

    private Pin pin(String id, @Nullable String job) {
        Pin pin = new Pin(VERSION, id, "me", "", Duration.ofDays(1), job);
        pins.add(pin);
        return pin;
    }

    /** This happens when the webhook is disabled while pods run that it has admitted. */
    @Test
    void theAgentLeavesPinsOfUncheckedKindsToTheirLeases() {
        Pin ofPod = pin("job-uid-1", "uid-1");
        jobs.asksForAll = false;

        jobPins().check();

        assertThat(pins).containsExactly(ofPod);
        assertThat(renewed).isEmpty();
        assertThat(jobs.questions()).isZero();
    }

    @Test
    void pinsOfEndedJobsEndAndOtherPinsStay() {
        Pin running = pin("running", "uid-1");
        Pin ofNobody = pin("of nobody", null);
        pin("over", "uid-2");
        jobs.running.add("uid-1");

        jobPins().check();

        assertThat(pins).containsExactly(running, ofNobody);
        assertThat(renewed).containsExactly(running);
        assertThat(told).containsExactly(VERSION);
    }

    @Test
    void anUnreachableApiServerEndsNoPin() {
        pin("p", "uid-1");
        jobs.down = true;
        JobPins checking = jobPins();

        assertThatExceptionOfType(ForebayException.class).isThrownBy(checking::check);

        assertThat(pins).hasSize(1);
        assertThat(renewed).isEmpty();
        assertThat(told).isEmpty();
    }

    @Test
    void theAgentListsNoJobsWhileNoJobHoldsAPin() {
        pin("of nobody", null);
        jobs.down = true;

        jobPins().check();
    }

    @Test
    void theAgentSignalsAnUnreachableWorkflowAgain() {
        pin("over", "uid-1");
        reached = false;
        JobPins checking = jobPins();

        checking.check();
        reached = true;
        checking.tellAll();
        checking.tellAll();

        assertThat(told).containsExactly(VERSION, VERSION);
        assertThat(jobs.questions()).as("listings of the cluster").isEqualTo(1);
    }

    /** Each call could take a minute, and pins of running Jobs must be renewed in time. */
    @Test
    void theAgentSignalsNoOtherWorkflowAfterAFailure() {
        pin("over", "uid-1");
        pins.add(
                new Pin(
                        DatasetVersion.parse("a/b@v2"),
                        "also over",
                        "me",
                        "",
                        Duration.ofDays(1),
                        "uid-2"));
        reached = false;

        jobPins().check();

        assertThat(pins).isEmpty();
        assertThat(told).hasSize(1);
    }

    @Test
    void theAgentSignalsTheWorkflowEvenIfThePinHadAlreadyEnded() {
        pin("over", "uid-1");
        JobPins checking =
                new JobPins(
                        jobs,
                        () -> pins,
                        pin -> false,
                        renewed::add,
                        this::tell,
                        Duration.ofHours(1));

        checking.check();

        assertThat(told).containsExactly(VERSION);
    }

    @Test
    void theAgentChecksPinsAtOnceWhenTheirJobEnds() {
        pin("p", "uid-1");
        jobs.running.add("uid-1");
        try (JobPins checking = jobPins()) {
            checking.start();
            Await.until("the agent has checked once", () -> jobs.questions() == 1);

            jobs.running.remove("uid-1");
            jobs.end("uid of a Job that holds nothing");
            jobs.end("uid-1");

            Await.until("ended", pins::isEmpty);
            assertThat(jobs.questions()).isEqualTo(2);
        }
        assertThat(jobs.closed).isTrue();
    }

    @Test
    void theAgentChecksAgainAfterACheckFails() {
        pin("over", "uid-1");
        jobs.fails = true;
        try (JobPins checking = jobPins()) {
            checking.start();
            Await.until("failed", () -> !jobs.fails);

            jobs.end("uid-1");
            Await.until("ended", pins::isEmpty);
        }
    }

    /** Jobs in memory. */
    private static final class FakeJobs implements Jobs {
        private final Set<String> running = ConcurrentHashMap.newKeySet();
        private final List<Consumer<String>> listeners = new ArrayList<>();
        private volatile boolean down;

        /** Makes the next call fail once, as for lack of memory. */
        private volatile boolean fails;

        private volatile boolean closed;
        private volatile boolean asksForAll = true;
        private volatile int questions;

        int questions() {
            return questions;
        }

        @Override
        @SuppressWarnings("NonAtomicVolatileUpdate") // by one thread
        public Set<String> over(Collection<Pin> pins) {
            if (down) {
                throw new ForebayException(ErrorCode.UNAVAILABLE, "down");
            }
            if (fails) {
                fails = false;
                throw new OutOfMemoryError("simulated");
            }
            questions++;
            Set<String> over = new HashSet<>();
            pins.forEach(pin -> over.add(pin.job()));
            over.removeAll(running);
            return over;
        }

        @Override
        public boolean asksFor(Pin pin) {
            return asksForAll;
        }

        void end(String uid) {
            listeners.forEach(listener -> listener.accept(uid));
        }

        @Override
        public void onEnd(Consumer<String> listener) {
            listeners.add(listener);
        }

        @Override
        public void close() {
            closed = true;
        }
    }
}
