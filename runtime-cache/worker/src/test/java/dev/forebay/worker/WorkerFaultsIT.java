package dev.forebay.worker;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.forebay.chunkstore.NeighbourStore;
import dev.forebay.chunkstore.StoredChunk;
import dev.forebay.devstack.fault.Fault;
import dev.forebay.devstack.fault.FaultProxy;
import dev.forebay.devstack.fault.LoopDisk;
import dev.forebay.devstack.server.LiveFiles;
import dev.forebay.linux.DiskFile;
import dev.forebay.manifest.ChunkRef;
import dev.forebay.membership.RegionView;
import dev.forebay.model.ChunkId;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.placement.Placement;
import dev.forebay.placement.WorkerNode;
import dev.forebay.transfer.ReadAnswer;
import dev.forebay.transfer.ReadEvents;
import dev.forebay.transfer.RegionReader;
import dev.forebay.transfer.RegionReaderConfig;
import dev.forebay.transfer.WorkerSet;
import java.io.RandomAccessFile;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What a worker does when something around it or in it fails. */
class WorkerFaultsIT extends RunningWorker {

    private static final String READS = "forebay_worker_requests_seconds_count{operation=\"read\"";

    @Test
    void anOverwrittenObjectIsRefusedAndItsNeighboursAreRead() throws Exception {
        byte[] good = random(10, 5_000);
        region.put("changed/a-good", good);
        region.put("changed/b-changed", random(11, 5_000));
        region.put("changed/c-good", good);
        TestVersion version = mounted("changed");
        region.put("changed/b-changed", random(12, 5_000));

        for (String key : List.of("changed/a-good", "changed/c-good")) {
            HttpResponse<byte[]> answer = readObject(version, key);
            assertThat(answer.statusCode()).isEqualTo(206);
            assertThat(answer.body()).isEqualTo(good);
        }
        // The rest of the chunk, to which it belongs, is asked for behind what was read.
        await(() -> worker.metric("forebay_worker_fills_under_way") == 0);
        int before = region.reads("changed/b").size();
        for (int i = 0; i < 5; i++) {
            assertProblem(
                    readObject(version, "changed/b-changed"), 409, ErrorCode.LAKE_OBJECT_CHANGED);
        }
        assertThat(region.reads("changed/b")).hasSize(before);
        assertThatThrownBy(
                        () ->
                                client.fill(
                                        worker.node(),
                                        version.ref().digest(),
                                        version.chunks().get(0).chunk()))
                .hasMessageContaining("changed/b-changed")
                .isInstanceOfSatisfying(
                        ForebayException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.LAKE_OBJECT_CHANGED));
        assertThat(coverage(version).held().cardinality()).isZero();
    }

    @Test
    void aDiskThatDiesIsTakenOutAndWhatWasOnItIsFetchedAgain() throws Exception {
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
                    .as("only what was lost came again")
                    .isGreaterThan(fetched)
                    .isLessThan(2 * fetched);
            readAll(own, version, bytes);
            await(
                    () ->
                            region.state.view().workers().stream()
                                    .anyMatch(node -> node.capacityBytes() == 120L * MIB));
        }
    }

    @Test
    void aDiskThatHangsHoldsUpNobodyWhoReadsFromTheOtherAndIsUsedAgainWhenItAnswers()
            throws Exception {
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

            // More than a worker has threads for its connections.
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
                }
            }
            for (Future<Boolean> read : waiting) {
                assertThat(read.get()).isTrue();
            }
            assertThat(status(own).getLong("capacityBytes")).isEqualTo(120L * MIB);

            other.goOn();
            await(() -> weighs(own, 240L * MIB));
            readAll(own, version, bytes);
        }
    }

    @Test
    void aWorkerWhoseOnlyDiskHangsIsOutOfTheRegionUntilItAnswers() throws Exception {
        byte[] bytes = random(24, 24 * MIB);
        region.put("only-disk/object", bytes);
        TestVersion version = mounted("only-disk");
        Path parent = Files.createDirectories(DIRECTORY.resolve("only-disk"));
        try (LoopDisk only = disk(parent, "only")) {
            WorkerProcess own =
                    ownWorker(
                            "only-disk-worker",
                            "forebay.worker.directory=" + only.path(),
                            "forebay.worker.disk.patience=3s",
                            "forebay.worker.capacity=120M",
                            "forebay.worker.peers.attempts=0");
            awaitMounted(own, version);
            ChunkRef chunk = version.chunks().getFirst();
            client.fill(own.node(), version.ref().digest(), chunk.chunk());
            await(() -> weighs(own, 120L * MIB));
            forget(only);
            assumeTrue(only.hangReads(), "no reads can be made to hang here");
            HttpResponse<byte[]> answer =
                    own.get(version.readPath(), "Range", "bytes=0-%d".formatted(MIB - 1));
            assertThat(answer.statusCode()).isEqualTo(503);
            await(() -> weighs(own, 0));
            only.goOn();

            await(() -> weighs(own, 120L * MIB));
            double fetched = own.metric("forebay_worker_lake_bytes_total");
            assertThat(readChunk(own, version, chunk, bytes)).isTrue();
            assertThat(own.metric("forebay_worker_lake_bytes_total"))
                    .as("it is still here")
                    .isEqualTo(fetched);
            readAll(own, version, bytes);
        }
    }

    /** Whether it is live in the region with so many bytes; with 0, whether it is not. */
    private static boolean weighs(WorkerProcess process, long bytes) throws Exception {
        String id = status(process).getString("id");
        RegionView view = region.state.view();
        return view.live().contains(id) == (bytes > 0)
                && status(process).getLong("capacityBytes") == bytes
                && (bytes == 0
                        || view.workers().stream()
                                .anyMatch(
                                        node ->
                                                node.id().equals(id)
                                                        && node.capacityBytes() == bytes));
    }

    @Test
    void aWorkerThatWasStoppedForAWhileDoesNotBlameItsDisk() throws Exception {
        byte[] bytes = random(23, 24 * MIB);
        region.put("not-its-disk/object", bytes);
        TestVersion version = mounted("not-its-disk");
        WorkerProcess own = ownWorker("not-its-disk", "forebay.worker.disk.patience=1s");
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
            for (int round = 0; round < 4; round++) {
                double reads = own.metric(READS);
                await(() -> own.metric(READS) > reads + 100);
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

    /** The version's chunks that are on this disk. */
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

    /** Has the kernel read everything from the disk that is read from now on. */
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

    /** A worker with two disks that has all of a version. */
    private WorkerProcess filled(String name, LoopDisk one, LoopDisk other, TestVersion version)
            throws Exception {
        WorkerProcess own =
                ownWorker(
                        name,
                        "forebay.worker.directory=%s,%s".formatted(one.path(), other.path()),
                        "forebay.worker.disk.patience=8s",
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

    @Test
    void isWarmAfterItWasKilled() throws Exception {
        region.put("warm/object", random(13, 10 * MIB));
        TestVersion version = mounted("warm");
        WorkerProcess own = ownWorker("killed");
        String id = status(own).getString("id");
        for (ChunkRef chunk : version.chunks()) {
            client.fill(own.node(), version.ref().digest(), chunk.chunk());
        }
        int reads = region.reads("warm/").size();

        own.kill9();
        own.restart();
        HttpResponse<byte[]> answer = own.get(version.readPath(), "Range", "bytes=0-99");

        assertThat(answer.headers().firstValue("Forebay-Source")).hasValue("cache");
        assertThat(region.reads("warm/")).hasSize(reads);
        assertThat(status(own).getString("id")).isEqualTo(id);
    }

    @Test
    void takesAChunkFromAnotherWorkerBeforeTheLake() throws Exception {
        byte[] bytes = random(14, 100_000);
        region.put("peer/object", bytes);
        TestVersion version = mounted("peer");
        assertThat(readObject(version, "peer/object").statusCode()).isEqualTo(206);
        int reads = region.reads("peer/").size();
        WorkerProcess own = ownWorker("second", "forebay.worker.peers.attempts=5");

        HttpResponse<byte[]> answer = own.get(version.readPath(), "Range", "bytes=0-99999");

        assertThat(answer.headers().firstValue("Forebay-Source")).hasValue("peer");
        assertThat(answer.body()).isEqualTo(bytes);
        assertThat(region.reads("peer/")).hasSize(reads);
    }

    @Test
    void whoWaitsForTheLakeDoesNotHoldUpWhatIsHere() throws Exception {
        region.put("stuck/object", random(25, 20 * MIB));
        TestVersion version = mounted("stuck");
        WorkerProcess own =
                ownWorker(
                        "stuck",
                        "forebay.worker.requests.concurrency=2",
                        "forebay.worker.requests.queue=2",
                        "forebay.worker.peers.attempts=0");
        client.fill(own.node(), version.ref().digest(), version.chunks().get(0).chunk());
        String missing = "bytes=%d-%d".formatted(8 * MIB, 8 * MIB + 99);
        region.s3.pause();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<HttpResponse<byte[]>>> waiting = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                waiting.add(threads.submit(() -> own.get(version.readPath(), "Range", missing)));
            }
            await(() -> waiting.stream().anyMatch(Future::isDone));

            HttpResponse<byte[]> refused =
                    waiting.stream().filter(Future::isDone).findFirst().orElseThrow().get();
            assertProblem(refused, 503, ErrorCode.UNAVAILABLE);
            assertThat(refused.headers().firstValue("Retry-After")).hasValue("1");
            assertThat(own.get(version.readPath(), "Range", "bytes=0-99").statusCode())
                    .isEqualTo(206);
            region.s3.resume();
            for (Future<HttpResponse<byte[]>> answer : waiting) {
                assertThat(answer.get().statusCode()).isIn(206, 503);
            }
        } finally {
            region.s3.resume();
        }
    }

    @Test
    void readsGoOnWithoutEtcd() throws Exception {
        region.put("alone/object", random(15, 9 * MIB));
        TestVersion version = mounted("alone");
        region.etcd.pause();
        try {
            assertThat(worker.get(version.readPath(), "Range", "bytes=0-99").statusCode())
                    .isEqualTo(206);
            assertThat(worker.get("/q/health/ready").statusCode()).isEqualTo(200);
        } finally {
            region.etcd.resume();
        }
    }

    @Test
    void anAnswerUnderWayStaysRightWhenItsChunkIsDropped() throws Exception {
        byte[] bytes = random(24, 8 * MIB);
        region.put("vanishing/object", bytes);
        TestVersion version = mounted("vanishing");
        client.fill(worker.node(), version.ref().digest(), version.chunks().get(0).chunk());

        try (SlowReader reader = SlowReader.ask(worker.address(), version.readPath())) {
            region.state.beginEviction(version.name());
            assertThat(drop(version).chunksDropped()).isEqualTo(1);

            assertThat(reader.body(bytes.length)).isEqualTo(bytes);
        }
    }

    /** As those do who asked another one, too: it is no fault of the worker, nor news. */
    @Test
    void readersThatGiveUpLeaveNoFailureBehind() throws Exception {
        int readers = 200;
        List<String> ranges = List.of("0-", "0-4194303,4194304-8388607");
        region.put("forsaken/object", random(25, 8 * MIB));
        TestVersion version = mounted("forsaken");
        WorkerProcess own = ownWorker("forsaken", "forebay.worker.scrub.bytes-per-second=0");
        awaitMounted(own, version);
        client.fill(own.node(), version.ref().digest(), version.chunks().getFirst().chunk());
        int before = Files.readString(own.log()).length();

        for (int i = 0; i < readers; i += 2) {
            String range = ranges.get(i / 2 % 2);
            SlowReader.ask(own.address(), version.readPath(), range).close();
            // The trap: a connection that is closed in the midst of the answer's first writes.
            SlowReader.begin(own.address(), version.readPath(), range).close();
        }

        await(() -> own.metric(READS + ",outcome=\"aborted\"") == readers);
        assertThat(Files.readString(own.log()).substring(before)).doesNotContain("Exception");
        assertThat(own.get(version.readPath(), "Range", "bytes=0-9").statusCode()).isEqualTo(206);
    }

    @Test
    void damageOnDiskIsFoundByTheReaderAndMendedByTheScrub() throws Exception {
        byte[] bytes = random(21, 200_000);
        region.put("damaged/object", bytes);
        TestVersion version = mounted("damaged");
        WorkerProcess own =
                ownWorker(
                        "scrubbed",
                        "forebay.worker.scrub.pause=200ms",
                        "forebay.worker.scrub.bytes-per-second=1G",
                        "forebay.worker.peers.attempts=0");
        client.fill(own.node(), version.ref().digest(), version.chunks().get(0).chunk());

        try (RandomAccessFile file = new RandomAccessFile(own.chunkFiles().get(0).toFile(), "rw")) {
            file.seek(70_000);
            file.write(file.read() ^ 1);
            file.seek(70_001);
            file.write(0x55);
        }

        await(() -> own.metric("forebay_worker_store_damaged_chunks_total") > 0);
        ByteBuffer target = ByteBuffer.allocate((int) version.pack().bytes());
        ReadAnswer _ =
                client.read(
                        own.node(),
                        version.ref().digest(),
                        version.pack().id(),
                        0,
                        target.capacity(),
                        target);
        assertThat(Arrays.copyOf(target.array(), bytes.length)).isEqualTo(bytes);
        // By the scrub or for this reader, whoever came first.
        await(() -> holds(own, version));
        assertThat(region.reads("damaged/")).hasSize(2);
    }

    @Test
    void aReaderOfADamagedChunkGetsRightBytesAndTheChunkIsMended() throws Exception {
        byte[] bytes = random(26, 200_000);
        region.put("bitflip/object", bytes);
        TestVersion version = mounted("bitflip");
        WorkerProcess own = ownWorker("bitflip", "forebay.worker.scrub.bytes-per-second=0");
        ChunkId chunk = version.chunks().get(0).chunk();
        client.fill(own.node(), version.ref().digest(), chunk);
        WorkerNode damaged = new WorkerNode("damaged", own.address(), 1 << 30);
        WorkerNode other = new WorkerNode("other", worker.address(), 1);
        assertThat(Placement.rank(chunk, List.of(damaged, other)).getFirst()).isEqualTo(damaged);
        for (List<WorkerNode> workers : List.of(List.of(damaged, other), List.of(damaged))) {
            double mendedBefore = own.metric("forebay_worker_store_damaged_chunks_total");
            flipBit(own, 70_000);

            await(
                    () -> {
                        // More than once: another worker may be asked, too, and be the first.
                        assertThat(readThrough(workers, version, bytes.length)).isEqualTo(bytes);
                        return own.metric("forebay_worker_store_damaged_chunks_total")
                                > mendedBefore;
                    });
            await(() -> holds(own, version));
            HttpResponse<byte[]> again = own.get(version.readPath(), "Range", "bytes=0-199999");
            assertThat(again.headers().firstValue("Forebay-Source")).hasValue("cache");
            assertThat(again.body()).isEqualTo(bytes);
        }
        assertThat(
                        own.metric(
                                "forebay_worker_requests_seconds_count{operation=\"verify\",outcome=\"ok\""))
                .isPositive();
    }

    @Test
    void damageThatTheWorkerSeesItselfIsMendedBeforeItAnswers() throws Exception {
        byte[] bytes = random(27, 200_000);
        region.put("unaligned-damage/object", bytes);
        TestVersion version = mounted("unaligned-damage");
        WorkerProcess own =
                ownWorker(
                        "unaligned-damage",
                        "forebay.worker.scrub.bytes-per-second=0",
                        "forebay.worker.peers.attempts=0");
        client.fill(own.node(), version.ref().digest(), version.chunks().get(0).chunk());
        flipBit(own, 70_000);
        String range = "bytes=69999-70001";

        HttpResponse<byte[]> ifCached =
                own.get(version.readPath(), "Range", range, "Cache-Control", "only-if-cached");
        assertProblem(ifCached, 504, ErrorCode.NOT_FOUND);
        assertThat(holds(own, version)).isFalse();
        client.fill(own.node(), version.ref().digest(), version.chunks().get(0).chunk());
        flipBit(own, 70_000);

        HttpResponse<byte[]> answer = own.get(version.readPath(), "Range", range);
        assertThat(answer.statusCode()).isEqualTo(206);
        assertThat(answer.body()).isEqualTo(Arrays.copyOfRange(bytes, 69_999, 70_002));
        assertThat(answer.headers().firstValue("Forebay-Source")).hasValue("lake");
    }

    @Test
    void whatWasEvictedWhileAWorkerWasAwayGoesWhenItIsBack() throws Exception {
        region.put("orphan/object", random(28, 100_000));
        region.put("kept/object", random(29, 100_000));
        TestVersion evicted = mounted("orphan");
        TestVersion kept = mounted("kept");
        WorkerProcess own = ownWorker("orphan", "forebay.worker.orphans.interval=1s");
        for (TestVersion version : List.of(evicted, kept)) {
            awaitMounted(own, version);
            client.fill(own.node(), version.ref().digest(), version.chunks().get(0).chunk());
        }
        assertThat(own.chunkFiles()).hasSize(2);
        own.kill9();
        region.state.beginEviction(evicted.name());
        region.state.unmount(evicted.name());
        own.restart();

        await(() -> own.chunkFiles().size() == 1);

        // Counted when its file is gone.
        await(() -> own.metric("forebay_worker_store_orphaned_chunks_total") == 1);
        assertThat(holds(own, kept)).isTrue();
    }

    @Test
    void whatAVersionTookFromTheLakeIsKnownWhoeverAskedAndAfterAKill() throws Exception {
        region.put("cost/object", random(30, 20 * MIB));
        TestVersion version = mounted("cost");
        WorkerProcess own =
                ownWorker("cost", "forebay.worker.peers.attempts=0", "forebay.worker.fill.ahead=0");
        awaitMounted(own, version);
        assertThat(fromLake(own, version)).isZero();
        ChunkId first = version.chunks().get(0).chunk();
        assertThat(own.get(version.readPath(), "Range", "bytes=0-99").statusCode()).isEqualTo(206);
        assertThat(client.fill(own.node(), version.ref().digest(), first).bytesFromLake()).isZero();
        assertThat(fromLake(own, version)).isEqualTo(8 * MIB);

        own.kill9();
        own.restart();
        for (ChunkRef ref : version.chunks()) {
            client.fill(own.node(), version.ref().digest(), ref.chunk());
        }
        assertThat(fromLake(own, version)).isEqualTo(20 * MIB);

        region.state.beginEviction(version.name());
        await(() -> own.send("DELETE", version.manifestPath() + "/chunks").statusCode() == 200);
        region.state.unmount(version.name());
        region.state.mount(version.name(), version.ref());
        awaitMounted(own, version);
        await(() -> fromLake(own, version) == 0);
        client.fill(own.node(), version.ref().digest(), first);
        assertThat(fromLake(own, version)).isEqualTo(8 * MIB);
    }

    @Test
    void manifestsThatAreOnTheirWayHoldUpNothingThatIsHere() throws Exception {
        region.put("here/object", random(31, MIB));
        region.put("coming/object", random(32, MIB));
        TestVersion here = mounted("here");
        try (FaultProxy lake = FaultProxy.before(region.s3.endpoint());
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            WorkerProcess own =
                    ownWorker(
                            "coming",
                            "forebay.lake.endpoint=" + lake.endpoint(),
                            "forebay.worker.requests.concurrency=2",
                            "forebay.worker.peers.attempts=0");
            awaitMounted(own, here);
            client.fill(own.node(), here.ref().digest(), here.chunks().getFirst().chunk());
            CountDownLatch asked = new CountDownLatch(1);
            CountDownLatch comes = new CountDownLatch(1);
            lake.spoil(
                    request -> {
                        if (request.target().startsWith("/" + TestRegion.MANIFESTS + "/")) {
                            asked.countDown();
                            awaitQuietly(comes);
                        }
                        return Fault.NONE;
                    });
            TestVersion coming = mounted("coming");
            List<Future<HttpResponse<byte[]>>> waiting = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                waiting.add(threads.submit(() -> own.get(coming.manifestPath())));
            }
            try {
                asked.await();
                for (int i = 0; i < 20; i++) {
                    assertThat(own.get(here.readPath(), "Range", "bytes=0-99").statusCode())
                            .isEqualTo(206);
                    assertThat(own.get("/v1/status").statusCode()).isEqualTo(200);
                    assertThat(holds(own, here)).isTrue();
                }
            } finally {
                comes.countDown();
            }
            for (Future<HttpResponse<byte[]>> each : waiting) {
                assertThat(each.get().statusCode()).isEqualTo(200);
            }
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** -1 if the worker does not know the version, or not yet again. */
    private static long fromLake(WorkerProcess process, TestVersion version) {
        try {
            return client.coverage(process.node(), version.ref().digest())
                    .bytesFromLake()
                    .getOrDefault(version.name(), -1L);
        } catch (ForebayException e) {
            return -1;
        }
    }

    private static void flipBit(WorkerProcess process, long at) throws Exception {
        try (RandomAccessFile file =
                new RandomAccessFile(process.chunkFiles().get(0).toFile(), "rw")) {
            file.seek(at);
            int is = file.read();
            file.seek(at);
            file.write(is ^ 1);
        }
    }

    private static boolean holds(WorkerProcess process, TestVersion version) {
        return !client.coverage(process.node(), version.ref().digest()).held().isEmpty();
    }

    /** As a FUSE pod reads. */
    private static byte[] readThrough(List<WorkerNode> workers, TestVersion version, int bytes) {
        WorkerSet known =
                new WorkerSet(
                        workers, workers.stream().map(WorkerNode::id).collect(Collectors.toSet()));
        ByteBuffer target = ByteBuffer.allocate((int) version.pack().bytes());
        new RegionReader(client, () -> known, RegionReaderConfig.defaults(), ReadEvents.NONE)
                .read(version.ref().digest(), version.pack().id(), 0, target.capacity(), target);
        return Arrays.copyOf(target.array(), bytes);
    }

    @Test
    void finishesWhatItIsDoingWhenItIsStopped() throws Exception {
        region.put("stopping/object", random(23, 8 * MIB));
        TestVersion version = mounted("stopping");
        WorkerProcess own = ownWorker("stopping", "forebay.worker.peers.attempts=0");
        awaitMounted(own, version);
        region.s3.pause();
        Future<HttpResponse<byte[]>> answer;
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            answer = threads.submit(() -> own.get(version.readPath(), "Range", "bytes=0-8388607"));
            await(() -> own.metric("forebay_worker_fills_under_way") > 0);
            Future<?> stopping = threads.submit(own::close);
            await(() -> status(own, "/q/health/ready") != 200);
            region.s3.resume();
            stopping.get();
        } finally {
            region.s3.resume();
        }

        assertThat(answer.get().statusCode()).isEqualTo(206);
        assertThat(answer.get().body()).hasSize(8 * MIB);
    }
}
