package dev.forebay.workflows.fill;

import static dev.forebay.workflows.Platform.US;
import static dev.forebay.workflows.Platform.result;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.workflows.Failures;
import dev.forebay.workflows.FakeRegion.Step;
import dev.forebay.workflows.Platform;
import dev.forebay.workflows.message.EnsureRequest;
import dev.forebay.workflows.message.Receipt;
import dev.forebay.workflows.message.RequestTerms;
import dev.forebay.workflows.message.RequestTerms.OnDeadline;
import dev.forebay.workflows.message.Residency.State;
import dev.forebay.workflows.message.Urgency;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** "Admission": how a version waits for space in a region, and what its claim contains. */
@Execution(ExecutionMode.CONCURRENT)
class AdmissionWaitTest {

    private final Platform platform = Platform.start();

    @AfterEach
    void stop() {
        platform.close();
    }

    @Test
    void aVersionThatFitsIsAdmittedWithItsQuotaAndWithoutEvictions() {
        platform.control.setQuota(12_345L);
        Instant before = platform.now();

        platform.ensure(US, null);

        assertThat(platform.control.spaceRequests()).isEmpty();
        assertThat(platform.us.claims())
                .singleElement()
                .satisfies(
                        claim -> {
                            assertThat(claim.urgency()).isEqualTo(Urgency.INTERACTIVE);
                            assertThat(claim.quotaBytes()).isEqualTo(12_345L);
                            assertThat(claim.since()).isBetween(before, platform.now());
                        });
    }

    @Test
    void spaceIsFreedOnlyAfterTheVersionIsQueued() {
        full(1);
        List<Long> askedBefore = new CopyOnWriteArrayList<>();
        platform.control.beforeSpaceIsFreed(() -> askedBefore.add(platform.us.count(Step.MOUNT)));

        platform.ensure(US, null);

        assertThat(askedBefore).containsExactly(1L);
        assertThat(platform.us.count(Step.MOUNT)).isEqualTo(2);
    }

    /** Without these calls, the region would remove it from the queue and admit other versions. */
    @Test
    void aVersionKeepsItsPlaceInTheQueueWhileSpaceIsFreed() {
        full(3);
        platform.control.beforeSpaceIsFreed(
                () -> {
                    throw Failures.of(new ForebayException(ErrorCode.UNAVAILABLE, "not yet"));
                });
        Instant before = platform.now();

        CompletableFuture<Receipt> asked = platform.ensureAsync(US, null);
        platform.passUntil("the version is admitted meanwhile", asked::isDone);

        result(asked);
        assertThat(platform.us.count(Step.MOUNT)).isEqualTo(4);
        assertThat(platform.control.spaceRequests()).isEmpty();
        assertThat(platform.now())
                .isBetween(before.plus(Duration.ofMinutes(3)), before.plus(Duration.ofMinutes(6)));
    }

    @Test
    void noSpaceIsFreedBeforeTheRegionAnswers() {
        platform.us.fail(
                Step.MOUNT, ErrorCode.UNAVAILABLE, ErrorCode.UNAVAILABLE, ErrorCode.UNAVAILABLE);

        CompletableFuture<Receipt> asked = platform.ensureAsync(US, null);
        platform.passUntil("the version is admitted", asked::isDone);

        result(asked);
        assertThat(platform.us.count(Step.MOUNT)).isEqualTo(4);
        assertThat(platform.control.spaceRequests()).isEmpty();
    }

    @Test
    void aQueuedVersionRetriesAndFreesSpaceFromTimeToTime() {
        full(20);

        CompletableFuture<Receipt> waiting = platform.ensureAsync(US, null);
        platform.passUntil(
                "the version is admitted", () -> platform.residency(US).state() == State.CACHED);

        Receipt receipt = result(waiting);
        assertThat(receipt.bytesVerified()).isEqualTo(receipt.bytes());
        assertThat(platform.us.count(Step.MOUNT)).isEqualTo(21);
        assertThat(platform.control.spaceRequests()).hasSizeBetween(2, 5);
    }

    @Test
    void spaceIsFreedBeforeEachAttemptIfTheRegionSaysItHelps() {
        full(3);
        platform.us.evictionsHelp();

        platform.ensure(US, null);

        assertThat(platform.us.count(Step.MOUNT)).isEqualTo(4);
        assertThat(platform.control.spaceRequests()).hasSize(3);
    }

    /** The limit for an outage does not depend on the earlier wait for space. */
    @Test
    void aVersionQueuedForLongSurvivesAnOutageOfTheRegion() {
        platform.us.fail(Step.MOUNT, copies(900, ErrorCode.CAPACITY_EXCEEDED));
        platform.us.fail(Step.MOUNT, copies(100, ErrorCode.UNAVAILABLE));
        Instant before = platform.now();

        CompletableFuture<Receipt> waiting = platform.ensureAsync(US, null);
        platform.passUntil("the version is admitted", waiting::isDone);

        result(waiting);
        assertThat(platform.us.count(Step.MOUNT)).isEqualTo(1_001);
        assertThat(platform.now()).isAfter(before.plus(Duration.ofHours(2)));
    }

    @Test
    void aVersionThatCanNeverFitIsRefusedAtOnce() {
        platform.us.fail(Step.MOUNT, ErrorCode.TOO_LARGE);

        Throwable refused = catchThrowable(() -> platform.ensure(US, null));

        assertThat(Failures.problem(refused).code()).isEqualTo(ErrorCode.TOO_LARGE);
        assertThat(platform.us.count(Step.MOUNT)).isEqualTo(1);
        assertThat(platform.residency(US).state()).isEqualTo(State.BLOCKED);
    }

    @Test
    void aQueuedSpeculativeVersionBecomesInteractiveWhenACallerWaits() {
        full(1_000);
        RequestTerms hint = new RequestTerms(1, null, OnDeadline.FAIL, Urgency.SPECULATIVE);
        CompletableFuture<Receipt> speculative =
                platform.ensureAsync(new EnsureRequest(US, null, hint, List.of()));
        platform.passUntil("the version is queued", () -> platform.us.claims().size() > 2);
        assertThat(platform.us.claims().getLast().urgency()).isEqualTo(Urgency.SPECULATIVE);

        CompletableFuture<Receipt> waiting = platform.ensureAsync(US, null);

        platform.passUntil(
                "the claim is interactive",
                () -> platform.us.claims().getLast().urgency() == Urgency.INTERACTIVE);
        platform.passUntil(
                "space is freed with that urgency",
                () -> platform.control.spaceRequests().getLast() == Urgency.INTERACTIVE);
        assertThat(platform.control.spaceRequests()).startsWith(Urgency.SPECULATIVE);
        platform.us.recover(Step.MOUNT);
        result(speculative);
        result(waiting);
    }

    /** No space is freed for a version that is not mounted anyway. */
    @Test
    void aVersionWhoseSourcesCannotBeSetIsGivenUpOnce() {
        platform.us.fail(Step.FILL_FROM, copies(1_000, ErrorCode.UNAVAILABLE));

        CompletableFuture<Receipt> waiting = platform.ensureAsync(US, null);
        platform.passUntil("it is given up", waiting::isDone);

        assertThat(Failures.problem(catchThrowable(() -> result(waiting))).code())
                .isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(platform.control.spaceRequests()).isEmpty();
        assertThat(platform.us.count(Step.MOUNT)).isZero();
    }

    @Test
    void aQueuedVersionCanBeEvicted() {
        full(1_000);
        CompletableFuture<Receipt> waiting = platform.ensureAsync(US, null);
        platform.passUntil("the version is queued", () -> platform.us.count(Step.MOUNT) > 2);

        result(platform.evictAsync(US));

        assertThat(Failures.problem(catchThrowable(() -> result(waiting))).code())
                .isEqualTo(ErrorCode.EVICTING);
        assertThat(platform.us.isEmpty()).isTrue();
        long asked = platform.us.count(Step.MOUNT);
        platform.pass(Duration.ofMinutes(5));
        assertThat(platform.us.count(Step.MOUNT)).isEqualTo(asked);
    }

    /** Makes the next attempts fail for lack of space. */
    private void full(int attempts) {
        platform.us.fail(Step.MOUNT, copies(attempts, ErrorCode.CAPACITY_EXCEEDED));
    }

    private static ErrorCode[] copies(int many, ErrorCode code) {
        return Collections.nCopies(many, code).toArray(ErrorCode[]::new);
    }
}
