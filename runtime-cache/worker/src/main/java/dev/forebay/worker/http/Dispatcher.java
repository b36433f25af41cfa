package dev.forebay.worker.http;

import dev.forebay.thread.CatchAll;
import dev.forebay.transfer.BearerToken;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves a request from the event loop to a virtual thread, and its answer back.
 *
 * <p>The event loop reads requests and writes answers, and never blocks. Work that may block runs
 * in a {@link RequestQueue}.
 */
final class Dispatcher {

    private static final Logger LOG = LoggerFactory.getLogger(Dispatcher.class);

    private final Optional<BearerToken> token;
    private final RequestObserver observer;

    Dispatcher(Optional<BearerToken> token, RequestObserver observer) {
        this.token = token;
        this.observer = observer;
    }

    /**
     * Answers a request.
     *
     * @param parse reads and checks the request on the event loop, and returns the work to do
     */
    void dispatch(
            RoutingContext routing,
            Operation operation,
            RequestQueue lane,
            Function<RoutingContext, Callable<WorkerResponse>> parse) {
        Exchange exchange = new Exchange(routing, operation, System.nanoTime());
        try {
            if (token.isPresent()
                    && !token.get().admits(routing.request().getHeader(BearerToken.HEADER))) {
                throw Refusal.unauthorized();
            }
            Callable<WorkerResponse> work = parse.apply(routing);
            Context context = routing.vertx().getOrCreateContext();
            lane.run(() -> work(exchange, context, work));
        } catch (RuntimeException e) {
            fail(exchange, e);
        }
    }

    /** Answers a request for something that does not exist. */
    void refuse(RoutingContext routing, Refusal refusal) {
        write(routing.response(), Problem.of(refusal));
    }

    private void work(Exchange exchange, Context context, Callable<WorkerResponse> work) {
        boolean _ =
                CatchAll.run(
                        () -> {
                            WorkerResponse answer = work.call();
                            if (answer instanceof WorkerResponse.Later later) {
                                later.lane().run(() -> work(exchange, context, later.work()));
                            } else {
                                context.runOnContext(_ -> succeed(exchange, answer));
                            }
                        },
                        e -> context.runOnContext(_ -> fail(exchange, e)));
    }

    private void succeed(Exchange exchange, WorkerResponse answer) {
        HttpServerResponse response = exchange.routing.response();
        Future<Void> sent =
                switch (answer) {
                    case WorkerResponse.Later _ ->
                            throw new IllegalStateException("the response is not complete");
                    case WorkerResponse.Json json -> {
                        if (response.closed()) {
                            yield Future.failedFuture("the client disconnected");
                        }
                        response.putHeader("Content-Type", "application/json");
                        yield response.end(json.body().toBuffer());
                    }
                    case WorkerResponse.FileBytes bytes -> {
                        response.setStatusCode(bytes.status());
                        bytes.headers().forEach(response::putHeader);
                        yield FileSender.send(exchange.routing.request(), bytes);
                    }
                    case WorkerResponse.Parts parts -> {
                        response.setStatusCode(206);
                        parts.headers().forEach(response::putHeader);
                        yield FileSender.send(exchange.routing.request(), parts);
                    }
                };
        sent.onComplete(result -> done(exchange, result.succeeded() ? "ok" : "aborted"));
    }

    private void fail(Exchange exchange, Throwable failure) {
        Problem problem = Problem.of(failure);
        if (problem.defect()) {
            LOG.error("{} failed", exchange.routing.request().path(), failure);
        }
        write(exchange.routing.response(), problem);
        done(exchange, outcome(problem));
    }

    private static String outcome(Problem problem) {
        return problem.status() == 504 ? "miss" : problem.code().name().toLowerCase(Locale.ROOT);
    }

    private static void write(HttpServerResponse response, Problem problem) {
        if (response.closed() || response.ended()) {
            return;
        }
        problem.headers().forEach(response::putHeader);
        response.setStatusCode(problem.status())
                .putHeader("Content-Type", problem.contentType())
                .end(problem.body().toBuffer());
    }

    private void done(Exchange exchange, String outcome) {
        observer.answered(exchange.operation, outcome, System.nanoTime() - exchange.begunNanos);
    }

    private record Exchange(RoutingContext routing, Operation operation, long begunNanos) {}
}
