package dev.forebay.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.SocketException;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A worker with a small heap before a crowd of readers that take their time. */
@Tag(Wire.ALSO_OVER_TLS)
class CrowdIT extends RunningWorker {

    private static final int READERS = 1_000;

    /** Until the code is compiled, encryption of what a thousand connections hold takes minutes. */
    private static final int WARM_UPS = Wire.OF_THIS_RUN == Wire.TLS ? 40 : 1;

    /** With TLS a reader has a piece of its answer, and its connection's state, in the process. */
    private static final long MEMORY_GROWTH_BYTES =
            (Wire.OF_THIS_RUN == Wire.TLS ? 256L : 64) * MIB;

    @Test
    void aThousandSlowReadersCostLittleMemoryAndDoNotHoldUpOthers() throws Exception {
        byte[] bytes = random(95, 8 * MIB);
        region.put("crowd/object", bytes);
        TestVersion version = mounted("crowd");
        WorkerProcess own = ownWorker("crowd", "forebay.worker.peers.attempts=0");
        awaitMounted(own, version);
        client.fill(own.node(), version.ref().digest(), version.chunks().getFirst().chunk());
        for (int i = 0; i < WARM_UPS; i++) {
            assertThat(own.get(version.readPath(), "Range", "bytes=0-8388607").body())
                    .isEqualTo(bytes);
        }
        long before = own.residentBytes();
        List<SlowReader> crowd = new ArrayList<>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<SlowReader>> asking = new ArrayList<>();
            for (int i = 0; i < READERS; i++) {
                asking.add(threads.submit(() -> SlowReader.ask(own.address(), version.readPath())));
            }
            for (Future<SlowReader> each : asking) {
                crowd.add(each.get());
            }

            // Each has its answer's head; of 8 GB of bodies nearly all is still to be sent.
            long grown = own.residentBytes() - before;
            long began = System.nanoTime();
            HttpResponse<byte[]> quick = own.get(version.readPath(), "Range", "bytes=0-1048575");
            double millis = (System.nanoTime() - began) / 1e6;
            assertThat(quick.statusCode()).isEqualTo(206);
            assertThat(quick.body()).hasSize(MIB);
            BenchOutput.say(
                    "%d slow readers, %s: %d MiB more memory; another reader got 1 MiB in %.0f ms"
                            .formatted(READERS, Wire.OF_THIS_RUN.scheme(), grown >> 20, millis));
            assertThat(grown).isLessThan(MEMORY_GROWTH_BYTES);
            // Behind the crowd it would wait for ever; a busy machine alone takes a second or two.
            assertThat(millis).isLessThan(10_000);
            assertThat(bodyOfOne(crowd.reversed(), bytes.length)).isEqualTo(bytes);
        } finally {
            for (SlowReader each : crowd) {
                each.close();
            }
        }
        assertThat(own.get(version.readPath(), "Range", "bytes=0-99").statusCode()).isEqualTo(206);
    }

    /** The kernel resets some when all sockets of a machine take more memory than tcp_mem says. */
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
