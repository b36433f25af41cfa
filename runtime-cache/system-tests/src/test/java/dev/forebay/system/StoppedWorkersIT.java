package dev.forebay.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.devstack.server.ServerProcess;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * "Errors": all workers of the region are stopped. A reader gets an error after its timeout, and
 * the next reader does not wait for the same workers again. Once they answer again, both get the
 * bytes.
 */
class StoppedWorkersIT {

    private static final Duration BOUND = Duration.ofSeconds(30);

    /** Allows for busy processors. A second full wait would take far longer. */
    private static final Duration MARGIN = Duration.ofSeconds(8);

    private static final Duration TIMEOUT = Duration.ofMinutes(2);
    private static final ModelVersion VERSION = ModelVersion.all().get(1);

    /**
     * The image devices of each mount. With jnr, loop devices request one range after another, so
     * images over jnr are not tested here.
     */
    private static final Map<ModelSetup, String> MOUNTS =
            Map.of(
                    ModelSetup.PORTABLE_KERNEL, "files,loops",
                    ModelSetup.ON_DEMAND_KERNEL, "files,loops",
                    ModelSetup.STRICT_ON_DEMAND_KERNEL, "loops",
                    ModelSetup.PORTABLE_JNR, "files,loops");

    /** A part of a file that was not read before. The second one spans two chunks. */
    private record Read(String file, long from, int length) {
        static final List<Read> ALL =
                List.of(new Read("big/0", 7 << 20, 64 << 10), new Read("big/1", 15 << 19, 1 << 20));

        /**
         * Returns the parts that are read through a mount at the same time. With jnr the kernel
         * sends at most eight requests at once. The second part takes all eight, and the first
         * would start to wait only after it.
         */
        static List<Read> of(ModelSetup setup) {
            return setup == ModelSetup.PORTABLE_JNR ? ALL.subList(0, 1) : ALL;
        }
    }

    @TempDir private static Path directory;

    @Test
    void aReaderFailsWithinItsTimeoutWhenNoWorkerAnswers() throws Exception {
        Map<ModelSetup, ModelMount> mounts = new EnumMap<>(ModelSetup.class);
        try (ModelRegion region = new ModelRegion(directory);
                // A read of a mount blocks the carrier thread of a virtual thread.
                ExecutorService threads = Executors.newCachedThreadPool()) {
            try {
                for (ModelSetup setup : MOUNTS.keySet()) {
                    ModelMount mount =
                            new ModelMount(
                                    region,
                                    setup,
                                    "--prewarm-rate=0",
                                    "--image-devices=" + MOUNTS.get(setup));
                    mounts.put(setup, mount);
                    Await.until(
                            setup + " shows the version",
                            TIMEOUT,
                            () -> mount.reads(VERSION) && mount.shows(VERSION.name()));
                }
                List<Future<?>> readers = new ArrayList<>();
                List<ServerProcess> workers = List.of(region.worker(0), region.worker(1));
                workers.forEach(ServerProcess::pause);
                try {
                    mounts.forEach(
                            (setup, mount) ->
                                    Read.of(setup)
                                            .forEach(
                                                    read ->
                                                            readers.add(
                                                                    threads.submit(
                                                                            () ->
                                                                                    readInVain(
                                                                                            mount,
                                                                                            read)))));
                    for (Future<?> reader : readers) {
                        reader.get();
                    }
                } finally {
                    workers.forEach(ServerProcess::resume);
                }
                for (ModelMount mount : mounts.values()) {
                    for (Read read : Read.ALL) {
                        Await.until(
                                mount.setup() + " has " + read,
                                TIMEOUT,
                                () -> isRight(mount, read));
                    }
                }
            } finally {
                for (ModelMount mount : mounts.values()) {
                    mount.close();
                }
            }
        }
    }

    /** Reads twice in a row, and expects an error each time. */
    private static Void readInVain(ModelMount mount, Read read) throws IOException {
        try (FileChannel file = FileChannel.open(VERSION.path(mount.mountpoint(), read.file))) {
            Duration first = waited(file, read);
            Duration second = waited(file, read);
            System.out.printf(
                    "%s, %s: an error after %d ms, then after %d ms%n",
                    mount.setup(), read, first.toMillis(), second.toMillis());
            assertThat(first).as("%s, %s", mount.setup(), read).isLessThan(BOUND.plus(MARGIN));
            assertThat(second).as("%s, %s, again", mount.setup(), read).isLessThan(MARGIN);
        }
        return null;
    }

    private static Duration waited(FileChannel file, Read read) {
        long began = System.nanoTime();
        assertThatThrownBy(() -> file.read(ByteBuffer.allocate(read.length), read.from))
                .isInstanceOf(IOException.class);
        return Duration.ofNanos(System.nanoTime() - began);
    }

    private static boolean isRight(ModelMount mount, Read read) throws IOException {
        ByteBuffer target = ByteBuffer.allocate(read.length);
        try (FileChannel file = FileChannel.open(VERSION.path(mount.mountpoint(), read.file))) {
            // A read returns the bytes before a page that failed. The next read gets the error.
            while (target.hasRemaining()) {
                int got = file.read(target, read.from + target.position());
                assertThat(got).as("the bytes of %s", read).isPositive();
            }
        }
        assertThat(VERSION.content(read.file).firstWrong(target.flip(), read.from))
                .as("the first wrong byte of %s through %s", read, mount.setup())
                .isNegative();
        return true;
    }
}
