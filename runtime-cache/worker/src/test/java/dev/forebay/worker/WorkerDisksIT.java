package dev.forebay.worker;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.forebay.chunkstore.NeighbourStore;
import dev.forebay.chunkstore.file.StoredChunk;
import dev.forebay.devstack.fault.LoopDisk;
import dev.forebay.devstack.server.LiveFiles;
import dev.forebay.linux.DiskFile;
import dev.forebay.manifest.ChunkRef;
import dev.forebay.membership.RegionView;
import dev.forebay.model.ChunkId;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** A worker whose disk fails or hangs. */
class WorkerDisksIT extends RunningWorker {

    /** The whole chunks that fit on a disk of 120 MiB with their footers. */
    private static final long ONE_DISK = 14L * ChunkId.CHUNK_BYTES;

    private static final String READS = "forebay_worker_requests_seconds_count{operation=\"read\"";

    /** Leaves processor time to others while a disk hangs. */
    private static final Duration BETWEEN_READS = Duration.ofMillis(100);

    @Test
    void aWorkerRemovesADeadDiskAndFetchesItsChunksAgain() throws Exception {
        byte[] bytes = random(21, 76 * MIB);
        region.put("disks/object", bytes);
        TestVersion version = mounted("disks");
        Path parent = Files.createDirectories(DIRECTORY.resolve("two-disks"));
        try (LoopDisk one = disk(parent, "one");
                LoopDisk other = disk(parent, "other")) {
            WorkerProcess own = filled("two-disks", one, other, version);
            double fetched = own.metric("forebay_worker_lake_bytes_total");
            assertThat(status(own).getLong("capacityBytes")).isEqualTo(240L * MIB);

            other.die();
            readAll(own, version, bytes);
            await(() -> own.metric("forebay_worker_store_failed_disks") == 1);
            assertThat(status(own).getLong("capacityBytes")).isEqualTo(120L * MIB);
            assertThat(new String(own.get("/q/health/ready").body(), UTF_8)).contains("1 of 2");
            await(() -> status(own).getLong("chunks") == version.chunks().size());
            assertThat(own.metric("forebay_worker_lake_bytes_total"))
                    .as("fetches only the lost chunks again")
                    .isGreaterThan(fetched)
                    .isLessThan(2 * fetched);
            readAll(own, version, bytes);
            await(
                    () ->
                            region.state.view().workers().stream()
                                    .anyMatch(node -> node.capacityBytes() == ONE_DISK));
        }
    }

    @Test
    void aHangingDiskDoesNotDelayReadsOfAnotherDiskAndIsUsedAgainWhenItAnswers() throws Exception {
        byte[] bytes = random(22, 76 * MIB);
        region.put("hanging/object", bytes);
        TestVersion version = mounted("hanging");
        Path parent = Files.createDirectories(DIRECTORY.resolve("hanging-disk"));
        try (LoopDisk one = disk(parent, "one");
                LoopDisk other = disk(parent, "other");
                ExecutorService readers = Executors.newVirtualThreadPerTaskExecutor()) {
            WorkerProcess own = filled("hanging-disk", one, other, version);
            List<ChunkRef> onOther = chunks(version, other);
            List<ChunkRef> onOne = chunks(version, one);
            assertThat(onOther).isNotEmpty();
            assertThat(onOne).isNotEmpty();
            forget(other);
            assumeTrue(other.hangReads(), "no reads can be made to hang here");

            // More requests than the worker has threads for its connections.
            List<Future<Boolean>> waiting = new ArrayList<>();
            for (int round = 0; round < 8; round++) {
                for (ChunkRef chunk : onOther) {
                    waiting.add(readers.submit(() -> readChunk(own, version, chunk, bytes)));
                }
            }
            while (own.metric("forebay_worker_store_failed_disks") == 0) {
                assertThat(waiting).noneMatch(Future::isDone);
                for (ChunkRef chunk : onOne) {
                    long began = System.nanoTime();
                    readChunk(own, version, chunk, bytes);
                    assertThat(Duration.ofNanos(System.nanoTime() - began))
                            .isLessThan(Duration.ofSeconds(4));
                    LockSupport.parkNanos(BETWEEN_READS.toNanos());
                }
            }
            for (Future<Boolean> read : waiting) {
                assertThat(read.get()).isTrue();
            }
            assertThat(status(own).getLong("capacityBytes")).isEqualTo(120L * MIB);

            other.goOn();
            await(() -> weighs(own, 2));
            readAll(own, version, bytes);
        }
    }

    @Test
    void aWorkerLeavesTheRegionWhileItsOnlyDiskHangsAndRejoinsAfterwards() throws Exception {
        byte[] bytes = random(24, 24 * MIB);
        region.put("only-disk/object", bytes);
        TestVersion version = mounted("only-disk");
        Path parent = Files.createDirectories(DIRECTORY.resolve("only-disk"));
        try (LoopDisk only = disk(parent, "only")) {
            WorkerProcess own =
                    ownWorker(
                            "only-disk-worker",
                            "forebay.worker.directory=" + only.path(),
                            "forebay.worker.disk.timeout=3s",
                            "forebay.worker.capacity=120M",
                            "forebay.worker.peers.attempts=0");
            awaitMounted(own, version);
            ChunkRef chunk = version.chunks().getFirst();
            client.fill(own.node(), version.ref().digest(), chunk.chunk());
            await(() -> weighs(own, 1));
            forget(only);
            assumeTrue(only.hangReads(), "no reads can be made to hang here");
            HttpResponse<byte[]> answer =
                    own.get(version.readPath(), "Range", "bytes=0-%d".formatted(MIB - 1));
            assertThat(answer.statusCode()).isEqualTo(503);
            await(() -> weighs(own, 0));
            only.goOn();

            await(() -> weighs(own, 1));
            double fetched = own.metric("forebay_worker_lake_bytes_total");
            assertThat(readChunk(own, version, chunk, bytes)).isTrue();
            assertThat(own.metric("forebay_worker_lake_bytes_total"))
                    .as("still holds the chunk")
                    .isEqualTo(fetched);
            readAll(own, version, bytes);
        }
    }

    /**
     * Returns whether a worker is live with the capacity of so many disks. With 0, returns whether
     * it is not live.
     */
    private static boolean weighs(WorkerProcess process, int disks) throws Exception {
        String id = status(process).getString("id");
        RegionView view = region.state.view();
        return view.live().contains(id) == (disks > 0)
                && status(process).getLong("capacityBytes") == disks * 120L * MIB
                && (disks == 0
                        || view.workers().stream()
                                .anyMatch(
                                        node ->
                                                node.id().equals(id)
                                                        && node.capacityBytes()
                                                                == disks * ONE_DISK));
    }

    @Test
    void aResumedWorkerDoesNotMarkItsDiskAsFailed() throws Exception {
        byte[] bytes = random(23, 24 * MIB);
        region.put("not-its-disk/object", bytes);
        TestVersion version = mounted("not-its-disk");
        WorkerProcess own = ownWorker("not-its-disk", "forebay.worker.disk.timeout=1s");
        awaitMounted(own, version);
        AtomicBoolean enough = new AtomicBoolean();
        List<Future<Boolean>> reading = new ArrayList<>();
        try (ExecutorService readers = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int reader = 0; reader < 16; reader++) {
                reading.add(
                        readers.submit(
                                () -> {
                                    while (!enough.get()) {
                                        for (ChunkRef chunk : version.chunks()) {
                                            readChunk(own, version, chunk, bytes);
                                        }
                                    }
                                    return true;
                                }));
            }
            for (int round = 0; round < 2; round++) {
                double reads = own.metric(READS);
                await(() -> own.metric(READS) > reads + 32);
                own.pause();
                Thread.sleep(Duration.ofSeconds(2));
                own.resume();
            }
            enough.set(true);
        }
        for (Future<Boolean> reader : reading) {
            assertThat(reader.get()).isTrue();
        }
        assertThat(own.metric("forebay_worker_store_failed_disks")).isZero();
    }

    /** Returns the version's chunks that are on this disk. */
    private static List<ChunkRef> chunks(TestVersion version, LoopDisk disk) {
        NeighbourStore beside = new NeighbourStore(List.of(disk.path()));
        return version.chunks().stream()
                .filter(
                        ref -> {
                            Optional<StoredChunk> found = beside.find(ref.chunk());
                            found.ifPresent(StoredChunk::close);
                            return found.isPresent();
                        })
                .toList();
    }

    /** Drops the page cache of all chunks, so that later reads go to the disk. */
    private static void forget(LoopDisk disk) throws Exception {
        for (Path file : LiveFiles.below(disk.path().resolve("chunks"))) {
            try (DiskFile chunk = DiskFile.open(file)) {
                chunk.syncData();
                chunk.forget(0, DiskFile.TO_THE_END);
            }
        }
    }

    private static boolean readChunk(
            WorkerProcess process, TestVersion version, ChunkRef chunk, byte[] expected)
            throws Exception {
        int from = Math.toIntExact(chunk.chunk().start());
        int to = from + chunk.length();
        HttpResponse<byte[]> answer =
                process.get(version.readPath(), "Range", "bytes=%d-%d".formatted(from, to - 1));
        assertThat(answer.statusCode()).isEqualTo(206);
        assertThat(answer.body()).isEqualTo(Arrays.copyOfRange(expected, from, to));
        return true;
    }

    /** Starts a worker with two disks and fills a version. */
    private WorkerProcess filled(String name, LoopDisk one, LoopDisk other, TestVersion version)
            throws Exception {
        WorkerProcess own =
                ownWorker(
                        name,
                        "forebay.worker.directory=%s,%s".formatted(one.path(), other.path()),
                        "forebay.worker.disk.timeout=8s",
                        "forebay.worker.scrub.bytes-per-second=0",
                        "forebay.worker.capacity=240M",
                        "forebay.worker.peers.attempts=0");
        awaitMounted(own, version);
        for (ChunkRef chunk : version.chunks()) {
            client.fill(own.node(), version.ref().digest(), chunk.chunk());
        }
        return own;
    }

    private static LoopDisk disk(Path parent, String name) throws Exception {
        Optional<LoopDisk> disk = LoopDisk.mountIfAllowed(parent, name, 160L * MIB);
        assumeTrue(disk.isPresent(), "cannot mount an ext4 here");
        return disk.get();
    }

    private static void readAll(WorkerProcess process, TestVersion version, byte[] expected) {
        ByteBuffer target = ByteBuffer.allocate(expected.length);
        while (target.hasRemaining()) {
            int length = Math.min(ChunkId.CHUNK_BYTES, target.remaining());
            ByteBuffer part = target.slice(target.position(), length);
            client.read(
                    process.node(),
                    version.ref().digest(),
                    version.pack().id(),
                    target.position(),
                    target.position() + length,
                    part);
            target.position(target.position() + length);
        }
        assertThat(target.array()).isEqualTo(expected);
    }
}
