package dev.forebay.workflows.pin;

import static dev.forebay.workflows.Platform.AP;
import static dev.forebay.workflows.Platform.US;
import static dev.forebay.workflows.Platform.pin;
import static dev.forebay.workflows.Platform.result;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.forebay.model.ErrorCode;
import dev.forebay.workflows.Failures;
import dev.forebay.workflows.FakeRegion.Step;
import dev.forebay.workflows.Platform;
import dev.forebay.workflows.message.EnsureRequest;
import dev.forebay.workflows.message.PinGrant;
import dev.forebay.workflows.message.PinRequest;
import dev.forebay.workflows.message.Receipt;
import dev.forebay.workflows.message.RequestTerms;
import dev.forebay.workflows.message.Residency.State;
import dev.forebay.workflows.message.UnpinRequest;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * A pin that one request releases while another takes it, and one that is taken in several rounds.
 */
@Execution(ExecutionMode.CONCURRENT)
class PinLocksTest {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration PAUSE = Duration.ofSeconds(2);
    private static final PinRequest P = pin("p", HOUR);

    private final Platform platform = Platform.start();

    @AfterEach
    void stop() {
        platform.close();
    }

    @Test
    void aRequestGetsAPinThatIsBeingReleased() {
        platform.ensure(US, null);
        platform.us.setUnpinsWait(true);
        platform.ap.fail(Step.WARM, ErrorCode.LAKE_DENIED);
        CompletableFuture<Receipt> failing = everywhere();
        platform.passUntil("the pin is being released", () -> platform.us.count(Step.UNPIN) == 1);

        CompletableFuture<Receipt> second = platform.ensureAsync(US, P);
        // A later request was served, so the second one would have been served, too, if it could.
        platform.ensure(US, pin("q", HOUR));
        platform.us.setUnpinsWait(false);

        assertThat(result(second).pin()).isNotNull();
        assertThat(codeOf(failing)).isEqualTo(ErrorCode.LAKE_DENIED);
        assertThat(platform.us.isPinned("p")).isTrue();
        assertThat(platform.status().pins()).extracting(PinGrant::id).contains("p");
    }

    @Test
    void aFailingRequestKeepsAPinThatAnotherIsTaking() {
        platform.ensure(US, null);
        platform.ap.closeGate();
        CompletableFuture<Receipt> failing = everywhere();
        platform.passUntil("the pin is taken", () -> platform.us.isPinned("p"));
        platform.us.setPinsWait(true);
        CompletableFuture<Receipt> second = platform.ensureAsync(US, P);
        platform.passUntil("the pin is being taken", () -> platform.us.count(Step.PIN) == 2);

        platform.ap.fail(Step.WARM, ErrorCode.LAKE_DENIED);
        platform.ap.openGate();
        platform.passUntil("it has failed", () -> platform.residency(AP).state() == State.BLOCKED);
        platform.us.setPinsWait(false);

        assertThat(result(second).pin()).isNotNull();
        assertThat(codeOf(failing)).isEqualTo(ErrorCode.LAKE_DENIED);
        assertThat(platform.us.count(Step.UNPIN)).isZero();
        assertThat(platform.us.isPinned("p")).isTrue();
    }

    @Test
    void aPinTakenInOneRoundIsReleasedInALaterOne() {
        platform.ensure(US, null);
        platform.us.loseChunk(3);
        platform.us.closeGate();
        long warmed = platform.us.count(Step.WARM);
        CompletableFuture<Receipt> call = platform.ensureAsync(US, P);
        // The request has the pin when it learns that a chunk is missing, and waits for the fill
        // after a pause. During the pause it would not notice a failed fill and would begin another
        // one.
        platform.passUntil("the fill has started", () -> platform.us.count(Step.WARM) > warmed);
        platform.pass(PAUSE);
        assertThat(platform.us.isPinned("p")).isTrue();
        platform.us.fail(Step.PIN, ErrorCode.INVALID_ARGUMENT, ErrorCode.INVALID_ARGUMENT);
        platform.us.fail(Step.CONFIRM, ErrorCode.LAKE_DENIED);
        platform.us.openGate();

        assertThat(codeOf(call)).isIn(ErrorCode.LAKE_DENIED, ErrorCode.INVALID_ARGUMENT);
        assertThat(platform.us.isPinned("p")).isFalse();
        assertThat(platform.status().pins()).isEmpty();
    }

    @Test
    void aPinTakenAgainDuringAnExpiryCheckIsStillWatched() {
        Duration lease = Duration.ofMinutes(1);
        platform.ensure(US, pin("p", lease));
        platform.us.setRemaindersWait(true);
        long asked = platform.us.count(Step.REMAINING);
        platform.passUntil("the lease is checked", () -> platform.us.count(Step.REMAINING) > asked);

        result(platform.pinAsync(pin("p", lease)));
        platform.us.setRemaindersWait(false);

        platform.passUntil(
                "the lease is checked again", () -> platform.us.count(Step.REMAINING) > asked + 1);
    }

    /** A process that ends slowly, after its replacement has taken over the pin. */
    @Test
    void unpinKeepsAPinThatWasTakenAgainSince() {
        PinGrant first = Objects.requireNonNull(platform.ensure(US, P).pin());
        PinGrant second = Objects.requireNonNull(platform.ensure(US, P).pin());

        platform.update("unpin", new UnpinRequest(US, "p", first.takenAt()));
        assertThat(platform.us.isPinned("p")).isTrue();
        assertThat(platform.status().pins()).extracting(PinGrant::id).containsExactly("p");

        platform.update("unpin", new UnpinRequest(US, "p", second.takenAt()));
        assertThat(platform.us.isPinned("p")).isFalse();
        assertThat(platform.status().pins()).isEmpty();
    }

    private CompletableFuture<Receipt> everywhere() {
        return platform.ensureAsync(new EnsureRequest(US, P, RequestTerms.USUAL, List.of(AP)));
    }

    private static ErrorCode codeOf(CompletableFuture<Receipt> call) {
        Throwable failure = catchThrowable(() -> result(call));
        assertThat(failure).isNotNull();
        return Failures.problem(failure).code();
    }
}
