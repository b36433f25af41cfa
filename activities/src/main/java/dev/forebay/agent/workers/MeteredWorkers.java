package dev.forebay.agent.workers;

import dev.forebay.membership.RegionView;
import dev.forebay.model.ChunkId;
import dev.forebay.model.Digest;
import dev.forebay.model.ForebayException;
import dev.forebay.placement.WorkerNode;
import dev.forebay.transfer.Coverage;
import dev.forebay.transfer.DropAnswer;
import dev.forebay.transfer.FillAnswer;
import dev.forebay.transfer.VerifyAnswer;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Counts the agent's requests to workers in {@code forebay_agent_*}. The outcome is {@code ok} or
 * the name of an {@link dev.forebay.model.ErrorCode} in lower case.
 */
public record MeteredWorkers(Workers to, MeterRegistry registry) implements Workers {

    private static final String PREFIX = "forebay.agent.";
    private static final String LAKE = "lake";
    private static final String PEER = "peer";
    private static final String SIBLING = "sibling";
    private static final List<String> SOURCES = List.of(LAKE, PEER, SIBLING);

    public MeteredWorkers {
        // Registers counters at zero, so that rates see the first event.
        removed(registry);
        disagreed(registry);
        SOURCES.forEach(source -> filled(registry, source));
    }

    @Override
    public RegionView view() {
        return to.view();
    }

    @Override
    public FillAnswer fill(WorkerNode worker, Digest manifest, ChunkId chunk) {
        FillAnswer answer = timed("fill", () -> to.fill(worker, manifest, chunk));
        filled(registry, LAKE).increment((double) answer.bytesFromLake());
        filled(registry, PEER).increment((double) answer.bytesFromPeers());
        filled(registry, SIBLING).increment((double) answer.bytesFromSiblings());
        return answer;
    }

    @Override
    public Coverage coverage(WorkerNode worker, Digest manifest) {
        return timed("coverage", () -> to.coverage(worker, manifest));
    }

    @Override
    public VerifyAnswer verify(WorkerNode worker, Digest manifest, ChunkId chunk) {
        return timed("verify", () -> to.verify(worker, manifest, chunk));
    }

    @Override
    public DropAnswer drop(WorkerNode worker, Digest manifest) {
        return timed("drop", () -> to.drop(worker, manifest));
    }

    @Override
    public void remove(String workerId) {
        to.remove(workerId);
        removed(registry).increment();
    }

    @Override
    public void disagrees(WorkerNode worker, String how) {
        to.disagrees(worker, how);
        disagreed(registry).increment();
    }

    private static Counter disagreed(MeterRegistry registry) {
        return Counter.builder(PREFIX + "workers.disagreed")
                .description("Worker answers that differ from the manifest")
                .register(registry);
    }

    private static Counter removed(MeterRegistry registry) {
        return Counter.builder(PREFIX + "workers.removed")
                .description(
                        "Workers whose chunks other workers took over, because they stayed "
                                + "away")
                .register(registry);
    }

    private <T> T timed(String operation, Supplier<T> call) {
        long begun = System.nanoTime();
        String outcome = "ok";
        try {
            return call.get();
        } catch (ForebayException e) {
            outcome = e.code().name().toLowerCase(Locale.ROOT);
            throw e;
        } finally {
            Timer.builder(PREFIX + "worker.requests")
                    .description("Requests to workers, and their duration")
                    .tag("operation", operation)
                    .tag("outcome", outcome)
                    .register(registry)
                    .record(System.nanoTime() - begun, TimeUnit.NANOSECONDS);
        }
    }

    private static Counter filled(MeterRegistry registry, String source) {
        return Counter.builder(PREFIX + "filled.bytes")
                .description("Bytes that workers fetched for fills, by source")
                .tag("source", source)
                .register(registry);
    }
}
