package dev.forebay.workflows;

import dev.forebay.workflows.message.EnsureRequest;
import dev.forebay.workflows.message.PinGrant;
import dev.forebay.workflows.message.Problem;
import dev.forebay.workflows.message.Receipt;
import io.temporal.failure.CanceledFailure;
import io.temporal.workflow.Async;
import io.temporal.workflow.Promise;
import io.temporal.workflow.Workflow;
import java.util.List;
import java.util.function.BiFunction;
import java.util.stream.Collectors;

/**
 * One {@code ensureCached}, in all the regions that it names: a receipt of each, or of none. Their
 * fillings go on whatever becomes of the call.
 */
final class EnsureAll {

    private final Pins pins;
    private final BiFunction<EnsureRequest, Taker, Ensure> regions;
    private final EnsureRequest request;
    private final Deadline deadline;
    private final Taker taker = Taker.current();

    /**
     * @param regions what serves the request of one region, for this call
     */
    EnsureAll(
            Pins pins,
            BiFunction<EnsureRequest, Taker, Ensure> regions,
            EnsureRequest request,
            Deadline deadline) {
        this.pins = pins;
        this.regions = regions;
        this.request = request;
        this.deadline = deadline;
    }

    /**
     * @throws io.temporal.failure.ApplicationFailure what the first region that failed did so with;
     *     the others then hold no pin that this call alone has taken
     */
    Receipt run() {
        try {
            if (request.others().isEmpty()) {
                return regions.apply(request, taker).run();
            }
            List<Promise<Receipt>> receipts =
                    request.each()
                            .map(one -> Async.function(() -> regions.apply(one, taker).run()))
                            .toList();
            Workflow.await(
                    () ->
                            receipts.stream().allMatch(Promise::isCompleted)
                                    || receipts.stream().anyMatch(EnsureAll::hasFailed));
            if (receipts.stream().anyMatch(EnsureAll::hasFailed)) {
                throw failed(receipts);
            }
            List<Receipt> all = receipts.stream().map(Promise::get).toList();
            return all.getFirst().with(all.subList(1, all.size()));
        } finally {
            deadline.lift();
        }
    }

    /** What the call fails with, once the other regions have heard of it. */
    private RuntimeException failed(List<Promise<Receipt>> receipts) {
        deadline.giveUp();
        Workflow.await(() -> receipts.stream().allMatch(Promise::isCompleted));
        receipts.stream()
                .filter(receipt -> !hasFailed(receipt))
                .map(Promise::get)
                .forEach(this::giveBack);
        List<RuntimeException> failures =
                receipts.stream()
                        .filter(EnsureAll::hasFailed)
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

    private void giveBack(Receipt receipt) {
        PinGrant pin = receipt.pin();
        if (pin != null) {
            pins.giveBack(pin, taker);
        }
    }

    private static boolean hasFailed(Promise<Receipt> receipt) {
        return receipt.isCompleted() && receipt.getFailure() != null;
    }
}
