package dev.forebay.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.manifest.ChunkRef;
import dev.forebay.model.ForebayException;
import dev.forebay.transfer.AccountStatement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/**
 * Compares a worker's accounts with the lake's own access log: "The ledger" in docs/semantics.md.
 */
class LedgerIT extends RunningWorker {

    private static final int CHUNK = 8 * MIB;
    private static final int CHUNKS = 24;

    /** The number of concurrent fills of a worker. Each object is a chunk of its own. */
    private static final int IN_FLIGHT = 8;

    /** "The ledger". */
    @Test
    void theAccountMatchesTheLakesAccessLogEvenAfterKill9() throws Exception {
        for (int i = 0; i < CHUNKS; i++) {
            byte[] bytes = new byte[CHUNK];
            new Random(i).nextBytes(bytes);
            region.put("billed/%02d".formatted(i), bytes);
        }
        WorkerProcess own =
                ownWorker(
                        "billed",
                        "forebay.worker.accounts.interval=1s",
                        "forebay.worker.peers.attempts=0");
        TestVersion version = region.mount("billed", "billed/");
        awaitMounted(own, version);

        int askedBefore;
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Boolean>> fills = new ArrayList<>();
            for (ChunkRef ref : version.chunks()) {
                fills.add(threads.submit(() -> fill(own, version, ref)));
            }
            await(() -> region.reads("billed/").size() > 3);
            own.kill9();
            // A fill that had all its bytes is lost as well if they were not on disk yet.
            askedBefore = region.reads("billed/").size();
            own.restart();
            for (Future<Boolean> fill : fills) {
                fill.get();
            }
        }
        awaitMounted(own, version);
        for (ChunkRef ref : version.chunks()) {
            await(() -> fill(own, version, ref));
        }

        AccountStatement counted = statement(own, version);
        int logged = region.reads("billed/").size();
        assertThat(counted.lakeRequests()).isBetween((long) logged, (long) logged + IN_FLIGHT);
        assertThat(counted.lakeBytes()).isEqualTo(counted.lakeRequests() * CHUNK);
        assertThat(logged).isBetween(CHUNKS, CHUNKS + askedBefore);
        await(() -> statement(own, version).heldByteSeconds() > 0);

        own.get(version.readPath(), "Range", "bytes=0-199", "Forebay-Reader", "worker");
        own.get(version.readPath(), "Range", "bytes=0-99");
        await(() -> statement(own, version).servedRequests() > 0);
        assertThat(statement(own, version).servedBytes()).isEqualTo(100);

        own.kill9();
        own.restart();
        awaitMounted(own, version);
        assertThat(statement(own, version).id()).isEqualTo(counted.id());
        assertThat(statement(own, version).lakeRequests()).isEqualTo(counted.lakeRequests());
        assertThat(statement(own, version).lakeBytes()).isEqualTo(counted.lakeBytes());

        region.state.beginEviction(version.name());
        region.state.unmount(version.name());
        await(() -> statement(own, version).closed());
        AccountStatement closed = statement(own, version);
        client.settle(own.node(), closed.id(), closed.revision() - 1);
        assertThat(client.accounts(own.node(), -1).accounts()).hasSize(1);
        client.settle(own.node(), closed.id(), closed.revision());
        assertThat(client.accounts(own.node(), -1).accounts()).isEmpty();
    }

    /** Returns whether the chunk is filled now. Returns false while the worker is down. */
    private static boolean fill(WorkerProcess own, TestVersion version, ChunkRef ref) {
        try {
            return client.fill(own.node(), version.ref().digest(), ref.chunk()).liveBytes()
                    == CHUNK;
        } catch (ForebayException down) {
            return false;
        }
    }

    private static AccountStatement statement(WorkerProcess own, TestVersion version) {
        return client.accounts(own.node(), -1).accounts().stream()
                .filter(each -> each.version().equals(version.name().toString()))
                .findFirst()
                .orElseThrow();
    }
}
