package dev.forebay.workflows.version;

import dev.forebay.model.ErrorCode;
import dev.forebay.workflows.Failures;
import dev.forebay.workflows.fill.CoverageProofs;
import dev.forebay.workflows.message.EnsureRequest;
import dev.forebay.workflows.message.PinGrant;
import dev.forebay.workflows.message.Problem;
import dev.forebay.workflows.message.Receipt;
import dev.forebay.workflows.pin.PinRequester;
import dev.forebay.workflows.pin.VersionPins;
import dev.forebay.workflows.state.CallerDeadline;
import dev.forebay.workflows.state.VersionState;
import io.temporal.failure.CanceledFailure;
import io.temporal.workflow.Async;
import io.temporal.workflow.Promise;
import io.temporal.workflow.Workflow;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Serves one {@code ensureCached} in all regions that it names. The caller gets a receipt of each
 * region, or a failure. All receipts must be true when the caller gets the answer. A region that
 * completed long before the last one is therefore asked again. The fills continue even if the call
 * fails.
 */
final class EnsureInRegions {

    /** Another round is needed only if a region completed long before another one. */
    private static final int MOST_ROUNDS = 20;

    /** A receipt of one region, and when it was given. */
    private record Given(Receipt receipt, Instant at) {}

    private final VersionPins pins;
    private final BiFunction<EnsureRequest, PinRequester, EnsureInRegion> regions;
    private final EnsureRequest request;
    private final CallerDeadline deadline;
    private final PinRequester requester = PinRequester.current();

    /**
     * @param regions creates the request handler of one region, for this call
     */
    EnsureInRegions(
            VersionPins pins,
            BiFunction<EnsureRequest, PinRequester, EnsureInRegion> regions,
            EnsureRequest request,
            CallerDeadline deadline) {
        this.pins = pins;
        this.regions = regions;
        this.request = request;
        this.deadline = deadline;
    }

    /**
     * @throws io.temporal.failure.ApplicationFailure the failure of the first region that failed;
     *     the other regions then hold no pin that only this call has taken
     */
    Receipt run() {
        try {
            if (request.others().isEmpty()) {
                return regions.apply(request, requester).run();
            }
            List<Receipt> all = inAll(request.each().toList());
            return all.getFirst().with(all.subList(1, all.size()));
        } finally {
            deadline.lift();
        }
    }

    private List<Receipt> inAll(List<EnsureRequest> wanted) {
        List<Promise<Given>> given = new ArrayList<>(wanted.stream().map(this::begin).toList());
        for (int round = 1; ; round++) {
            await(given);
            List<Integer> old =
                    IntStream.range(0, given.size())
                            .filter(i -> !stands(given.get(i).get()))
                            .boxed()
                            .toList();
            if (old.isEmpty()) {
                return given.stream().map(each -> each.get().receipt()).toList();
            }
            if (round == MOST_ROUNDS) {
                given.forEach(each -> releasePin(each.get().receipt()));
                throw Failures.refusal(
                        ErrorCode.UNAVAILABLE,
                        "not all of %s had the version at the same moment, %d times in a row, because other versions need the space: hold it with a pin (--pin-for)"
                                .formatted(
                                        wanted.stream().map(EnsureRequest::region).toList(),
                                        MOST_ROUNDS));
            }
            old.forEach(i -> given.set(i, begin(wanted.get(i))));
        }
    }

    private Promise<Given> begin(EnsureRequest one) {
        return Async.function(
                () -> new Given(regions.apply(one, requester).run(), VersionState.now()));
    }

    private void await(List<Promise<Given>> given) {
        Workflow.await(
                () ->
                        given.stream().allMatch(Promise::isCompleted)
                                || given.stream().anyMatch(EnsureInRegions::hasFailed));
        if (given.stream().anyMatch(EnsureInRegions::hasFailed)) {
            throw failed(given);
        }
    }

    /** Returns whether a receipt may go to the caller without another question to its region. */
    private boolean stands(Given given) {
        PinGrant pin = given.receipt().pin();
        return given.receipt().cold() != null
                || (VersionState.now().isBefore(given.at().plus(CoverageProofs.LONGEST_AGE))
                        && (pin == null || pins.holds(pin)));
    }

    /** Returns the failure of the call, after the requests in the other regions have ended. */
    private RuntimeException failed(List<Promise<Given>> given) {
        deadline.giveUp();
        Workflow.await(() -> given.stream().allMatch(Promise::isCompleted));
        given.stream()
                .filter(each -> !hasFailed(each))
                .map(each -> each.get().receipt())
                .forEach(this::releasePin);
        List<RuntimeException> failures =
                given.stream()
                        .filter(EnsureInRegions::hasFailed)
                        .map(Promise::getFailure)
                        .filter(failure -> !(failure instanceof CanceledFailure))
                        .toList();
        return failures.size() == 1 ? failures.getFirst() : together(failures);
    }

    private static RuntimeException together(List<RuntimeException> failures) {
        List<Problem> problems = failures.stream().map(Failures::problem).toList();
        Problem whole =
                new Problem(
                        problems.getFirst().code(),
                        problems.stream().map(Problem::message).collect(Collectors.joining("; ")));
        return failures.stream().allMatch(Failures::isGivenUp)
                ? Failures.givenUp(whole)
                : Failures.refusal(whole);
    }

    private void releasePin(Receipt receipt) {
        PinGrant pin = receipt.pin();
        if (pin != null) {
            pins.release(pin, requester);
        }
    }

    private static boolean hasFailed(Promise<Given> given) {
        return given.isCompleted() && given.getFailure() != null;
    }
}
