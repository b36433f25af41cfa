package dev.forebay.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.membership.WorkerRegistration;
import dev.forebay.placement.WorkerNode;
import java.net.URI;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/**
 * semantics.md, "A worker that was stopped": a worker stopped by SIGSTOP for longer than its lease.
 * It gives way to its successor, and stops serving versions that were unmounted.
 */
class StoppedWorkerRegistrationIT extends RunningWorker {

    @Test
    void aResumedWorkerDoesNotReplaceItsSuccessor() throws Exception {
        WorkerProcess own = ownWorker("asleep-place");
        String id = liveId(own);
        WorkerNode other = new WorkerNode(id, URI.create("http://127.0.0.1:9"), 1 << 30);
        own.pause();
        try {
            awaitTakenForDead(id);
            try (WorkerRegistration successor = region.state.join(other)) {
                assertThat(successor.valid()).isTrue();
                own.resume();

                await(() -> own.get("/q/health/ready").statusCode() == 503);
                region.state.catchUp();
                assertThat(registered(id)).isEqualTo(other);
                assertThat(region.state.view().live()).contains(id);
            }
        } finally {
            own.resume();
            region.state.remove(id, Duration.ofMinutes(1));
        }
    }

    @Test
    void aResumedWorkerStopsServingAVersionThatWasUnmountedMeanwhile() throws Exception {
        region.put("asleep-serve/object", random(92, 100_000));
        TestVersion version = mounted("asleep-serve");
        WorkerProcess own = ownWorker("asleep-serve");
        awaitMounted(own, version);
        client.fill(own.node(), version.ref().digest(), version.chunks().getFirst().chunk());
        String id = liveId(own);
        own.pause();
        try {
            region.state.beginEviction(version.name());
            region.state.unmount(version.name());
            awaitTakenForDead(id);
        } finally {
            own.resume();
        }

        await(() -> own.get(version.readPath(), "Range", "bytes=0-99").statusCode() == 404);
    }

    private static WorkerNode registered(String id) {
        return region.state.view().workers().stream()
                .filter(worker -> worker.id().equals(id))
                .findFirst()
                .orElseThrow();
    }
}
