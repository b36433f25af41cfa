package dev.forebay.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.SocketException;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/**
 * A worker with a small heap that answers many slow readers at once. Set {@code
 * -Dforebay.crowd.readers=1000} for a larger crowd over TLS.
 */
class CrowdIT extends RunningWorker {

    private static final int READERS = 1_000;

    /** Each handshake and each encrypted piece costs processor time. */
    private static final int READERS_OVER_TLS = Integer.getInteger("forebay.crowd.readers", 200);

    /** Compiles the encryption code, which would otherwise take minutes for a crowd. */
    private static final int WARM_UPS_OVER_TLS = 40;

    /** The process holds one piece of each answer over TLS, and the state of each connection. */
    private static final long MOST_MEMORY_OVER_TLS = 32L * MIB + READERS_OVER_TLS * (MIB / 4L);

    @Test
    void manySlowReadersUseLittleMemoryAndDoNotDelayOthers() throws Exception {
        serveCrowd(TestProtocol.PLAIN, READERS, 1, 64L * MIB);
    }

    @Test
    void manySlowReadersOverTlsUseLittleMemoryAndDoNotDelayOthers() throws Exception {
        serveCrowd(TestProtocol.TLS, READERS_OVER_TLS, WARM_UPS_OVER_TLS, MOST_MEMORY_OVER_TLS);
    }

    private void serveCrowd(TestProtocol wire, int size, int warmUps, long mostMemory)
            throws Exception {
        byte[] bytes = random(95, 8 * MIB);
        String name = "crowd-" + wire.scheme();
        region.put(name + "/object", bytes);
        TestVersion version = mounted(name);
        WorkerProcess own = ownWorker(wire, name, "forebay.worker.peers.attempts=0");
        awaitMounted(own, version);
        client.fill(own.node(), version.ref().digest(), version.chunks().getFirst().chunk());
        for (int i = 0; i < warmUps; i++) {
            assertThat(own.get(version.readPath(), "Range", "bytes=0-8388607").body())
                    .isEqualTo(bytes);
        }
        long before = own.residentBytes();
        List<SlowReader> crowd = new ArrayList<>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<SlowReader>> asking = new ArrayList<>();
            for (int i = 0; i < size; i++) {
                asking.add(threads.submit(() -> SlowReader.ask(own.address(), version.readPath())));
            }
            for (Future<SlowReader> each : asking) {
                crowd.add(each.get());
            }

            // Each reader has the head of its answer. Nearly all of its 8 MiB is still unsent.
            long grown = own.residentBytes() - before;
            long began = System.nanoTime();
            HttpResponse<byte[]> quick = own.get(version.readPath(), "Range", "bytes=0-1048575");
            double millis = (System.nanoTime() - began) / 1e6;
            assertThat(quick.statusCode()).isEqualTo(206);
            assertThat(quick.body()).hasSize(MIB);
            BenchOutput.say(
                    "%d slow readers, %s: %d MiB more memory; another reader got 1 MiB in %.0f ms"
                            .formatted(size, wire.scheme(), grown >> 20, millis));
            assertThat(grown).isLessThan(mostMemory);
            // Behind the crowd the request would wait forever. A busy machine takes a second or
            // two.
            assertThat(millis).isLessThan(10_000);
            assertThat(bodyOfOne(crowd.reversed(), bytes.length)).isEqualTo(bytes);
        } finally {
            for (SlowReader each : crowd) {
                each.close();
            }
        }
        assertThat(own.get(version.readPath(), "Range", "bytes=0-99").statusCode()).isEqualTo(206);
    }

    /** The kernel resets some connections when all sockets take more memory than tcp_mem allows. */
    private static byte[] bodyOfOne(List<SlowReader> readers, int length) throws IOException {
        for (SlowReader each : readers) {
            try {
                return each.body(length);
            } catch (SocketException reset) {
                System.out.println("The kernel has given up a slow reader");
            }
        }
        throw new AssertionError("all were given up");
    }
}
