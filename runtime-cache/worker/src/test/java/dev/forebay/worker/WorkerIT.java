package dev.forebay.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.manifest.ChunkRef;
import dev.forebay.manifest.Segment;
import dev.forebay.membership.Pin;
import dev.forebay.model.ChunkId;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.transfer.BlockChecksums;
import dev.forebay.transfer.DropAnswer;
import dev.forebay.transfer.FillAnswer;
import dev.forebay.transfer.ReadAnswer;
import dev.forebay.transfer.Source;
import dev.forebay.transfer.WorkerUsage;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a worker serves, fills, keeps and drops. */
@Tag(Wire.ALSO_OVER_TLS)
class WorkerIT extends RunningWorker {

    @Test
    void servesExactlyTheBytesOfTheLake() throws Exception {
        byte[] small = random(1, 3_000);
        byte[] large = random(2, 9 * MIB + 17);
        region.put("exact/a-small", small);
        region.put("exact/b-large", large);
        TestVersion version = mounted("exact");
        Segment place = version.segment("exact/b-large");

        HttpResponse<byte[]> one = worker.get(version.readPath(), "Range", "bytes=0-2999");
        HttpResponse<byte[]> end =
                worker.get(version.readPath(), "Range", "bytes=%d-".formatted(ChunkId.CHUNK_BYTES));

        assertThat(one.statusCode()).isEqualTo(206);
        assertThat(one.body()).isEqualTo(small);
        assertThat(one.headers().firstValue("Content-Range"))
                .hasValue("bytes 0-2999/" + version.pack().bytes());
        assertThat(one.headers().firstValue("Forebay-Source")).hasValue("lake");
        assertThat(end.statusCode()).isEqualTo(206);
        int skipped = (int) (ChunkId.CHUNK_BYTES - place.packOffset());
        assertThat(Arrays.copyOf(end.body(), large.length - skipped))
                .isEqualTo(Arrays.copyOfRange(large, skipped, large.length));
    }

    @Test
    void aRangeEndsWithItsChunk() throws Exception {
        region.put("ends/object", random(3, 17 * MIB));
        TestVersion version = mounted("ends");

        HttpResponse<byte[]> answer =
                worker.get(version.readPath(), "Range", "bytes=%d-".formatted(8 * MIB - 10));

        assertThat(answer.headers().firstValue("Content-Range"))
                .hasValue(
                        "bytes %d-%d/%d"
                                .formatted(8 * MIB - 10, 8 * MIB - 1, version.pack().bytes()));
        assertThat(answer.body()).hasSize(10);
    }

    @Test
    void everyAnswerCarriesChecksumsThatItsReaderCanCompare() {
        byte[] bytes = random(4, 300_000);
        region.put("checksums/object", bytes);
        TestVersion version = mounted("checksums");
        ByteBuffer target = ByteBuffer.allocate((int) version.pack().bytes());

        ReadAnswer cold = read(version, target);
        ReadAnswer warm = read(version, target.clear());

        assertThat(cold.source()).isEqualTo(Source.LAKE);
        assertThat(warm).isEqualTo(new ReadAnswer(target.capacity(), Source.CACHE));
        assertThat(Arrays.copyOf(target.array(), bytes.length)).isEqualTo(bytes);
    }

    @Test
    void anUnalignedRangeHasChecksumsToo() throws Exception {
        byte[] bytes = random(5, 300_000);
        region.put("unaligned/object", bytes);
        TestVersion version = mounted("unaligned");

        HttpResponse<byte[]> answer = worker.get(version.readPath(), "Range", "bytes=4096-200000");

        assertThat(answer.body()).isEqualTo(Arrays.copyOfRange(bytes, 4096, 200_001));
        assertThat(answer.headers().firstValue("Forebay-Crc32c"))
                .hasValue(BlockChecksums.encode(ByteBuffer.wrap(answer.body())));
    }

    @Test
    void onlyIfCachedIsAMissThatAsksTheLakeNothing() throws Exception {
        region.put("miss/object", random(6, 10_000));
        TestVersion version = mounted("miss");

        HttpResponse<byte[]> answer =
                worker.get(
                        version.readPath(),
                        "Range",
                        "bytes=0-99",
                        "Cache-Control",
                        "only-if-cached");

        assertProblem(answer, 504, ErrorCode.NOT_FOUND);
        assertThat(region.reads("miss/")).isEmpty();
    }

    @Test
    void aHundredReadersOfAColdChunkCauseOneReadPerObject() throws Exception {
        for (int i = 0; i < 20; i++) {
            region.put("hundred/object-%02d".formatted(i), random(i, 30_000));
        }
        TestVersion version = mounted("hundred");
        List<Callable<Integer>> reads = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            reads.add(() -> worker.get(version.readPath(), "Range", "bytes=0-99999").statusCode());
        }

        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (Future<Integer> status : threads.invokeAll(reads)) {
                assertThat(status.get()).isEqualTo(206);
            }
        }

        // Readers do not wait for the rest of the chunk, which follows.
        await(() -> coverage(version).held().cardinality() == 1);
        assertThat(region.reads("hundred/")).hasSize(20);
    }

    @Test
    void fillsChunksAndSaysWhatIsHere() throws Exception {
        region.put("fill/a", random(7, 12 * MIB));
        region.put("fill/b", random(8, 100));
        TestVersion version = mounted("fill");
        assertThat(coverage(version).held().cardinality()).isZero();

        List<FillAnswer> answers = new ArrayList<>();
        for (ChunkRef ref : version.chunks()) {
            answers.add(client.fill(worker.node(), version.ref().digest(), ref.chunk()));
        }
        FillAnswer again =
                client.fill(worker.node(), version.ref().digest(), version.chunks().get(0).chunk());

        assertThat(answers.stream().mapToLong(FillAnswer::bytesFromLake).sum())
                .isEqualTo(12 * MIB + 100);
        assertThat(answers.stream().mapToLong(FillAnswer::liveBytes).sum())
                .isEqualTo(12 * MIB + 100);
        assertThat(again).isEqualTo(new FillAnswer(8 * MIB, 0, 0, 0));
        assertThat(coverage(version).chunks()).isEqualTo(2);
        assertThat(coverage(version).held().cardinality()).isEqualTo(2);
        assertThat(region.reads("fill/")).hasSize(3);
        assertThat(worker.metric("forebay_worker_lake_bytes_total")).isPositive();
    }

    @Test
    void saysForWhomItHoldsWhatAndWhenThatWasRead() throws Exception {
        region.put("usage/a", random(40, 3 * MIB));
        TestVersion first = region.mount("usage-1", "usage/");
        awaitMounted(worker, first);
        region.put("usage/b", random(41, MIB));
        TestVersion second = region.mountAfter("usage-2", "usage/", first);
        awaitMounted(worker, second);
        for (ChunkRef ref : second.chunks()) {
            client.fill(worker.node(), second.ref().digest(), ref.chunk());
        }
        Digest older = first.ref().digest();
        Digest newer = second.ref().digest();

        WorkerUsage unread = client.usage(worker.node());
        worker.get(second.readPath(), "Range", "bytes=0-99", "Forebay-Reader", "worker");
        WorkerUsage copied = client.usage(worker.node());
        worker.get(second.readPath(), "Range", "bytes=0-99");
        WorkerUsage read = client.usage(worker.node());

        assertThat(unread.complete()).isTrue();
        await(() -> addsUp(client.usage(worker.node())));
        assertThat(share(unread, Set.of(older, newer))).isBetween(3L * MIB, 4L * MIB);
        assertThat(share(unread, Set.of(newer))).isBetween((long) MIB, 2L * MIB);
        assertThat(share(unread, Set.of(older))).isZero();
        assertThat(unread.readAgo()).doesNotContainKeys(older, newer);
        assertThat(copied.readAgo()).doesNotContainKeys(older, newer);
        assertThat(read.readAgo()).doesNotContainKey(older);
        assertThat(read.readAgo().get(newer)).isLessThan(Duration.ofMinutes(1));
    }

    private static boolean addsUp(WorkerUsage usage) {
        return usage.shares().stream().mapToLong(WorkerUsage.Share::bytes).sum()
                == usage.usedBytes();
    }

    private static long share(WorkerUsage usage, Set<Digest> owners) {
        return usage.shares().stream()
                .filter(share -> share.manifests().equals(owners))
                .mapToLong(WorkerUsage.Share::bytes)
                .sum();
    }

    @Test
    void aManifestIsHereBeforeAnybodyReads() {
        region.put("ahead/object", random(8, 100));
        TestVersion version = region.mount("ahead", "ahead/");

        String name = version.ref().digest() + ".sqlite";
        await(() -> Files.exists(worker.store().resolve("manifests").resolve(name)));
    }

    @Test
    void handsOutTheManifest() throws Exception {
        region.put("manifest/object", random(9, 100));
        TestVersion version = mounted("manifest");

        HttpResponse<byte[]> answer = worker.get(version.manifestPath());

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body()).isEqualTo(Files.readAllBytes(version.file()));
    }

    @Test
    void aPinnedVersionIsNeitherDroppedNorEvicted() throws Exception {
        region.put("pinned/object", random(16, 30 * MIB));
        region.put("other/object", random(17, 40 * MIB));
        TestVersion pinned = mounted("pinned");
        TestVersion other = mounted("other");
        region.state.pin(new Pin(pinned.name(), "p1", "job-1", "training", Duration.ofMinutes(5)));
        WorkerProcess own = ownWorker("small", "forebay.worker.capacity=50M");
        for (ChunkRef ref : pinned.chunks()) {
            client.fill(own.node(), pinned.ref().digest(), ref.chunk());
        }

        HttpResponse<byte[]> dropped = own.send("DELETE", pinned.manifestPath() + "/chunks");
        for (ChunkRef ref : other.chunks()) {
            client.fill(own.node(), other.ref().digest(), ref.chunk());
        }

        assertProblem(dropped, 409, ErrorCode.PINNED);
        assertThat(client.coverage(own.node(), pinned.ref().digest()).held().cardinality())
                .isEqualTo(pinned.chunks().size());
        assertThat(own.metric("forebay_worker_store_evicted_chunks_total")).isPositive();
    }

    @Test
    void saysThatItIsFullWhenEverythingIsPinned() {
        region.put("full/object", random(18, 60 * MIB));
        TestVersion version = mounted("full");
        region.state.pin(new Pin(version.name(), "p1", "job-1", "training", Duration.ofMinutes(5)));
        WorkerProcess own = ownWorker("full", "forebay.worker.capacity=40M");

        assertThatThrownBy(
                        () -> {
                            for (ChunkRef ref : version.chunks()) {
                                client.fill(own.node(), version.ref().digest(), ref.chunk());
                            }
                        })
                .isInstanceOfSatisfying(
                        ForebayException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.CAPACITY_EXCEEDED));
    }

    @Test
    void dropsAnEvictedVersionButKeepsWhatAnotherVersionRefersTo() throws Exception {
        region.put("dropped/object", random(19, 100_000));
        TestVersion first = mounted("dropped");
        TestVersion second = region.mount("dropped-again", "dropped/");
        awaitMounted(worker, second);
        client.fill(worker.node(), first.ref().digest(), first.chunks().get(0).chunk());
        assertThat(second.ref().digest()).isEqualTo(first.ref().digest());

        region.state.beginEviction(first.name());
        assertThat(drop(first)).isEqualTo(new DropAnswer(0, 0));
        region.state.unmount(first.name());
        region.state.beginEviction(second.name());

        // Until the worker sees that the first one is gone it keeps the chunks for its sake.
        await(() -> drop(second).chunksDropped() == 1);
        region.state.unmount(second.name());
        awaitStatus(worker, second, 404);
    }

    @Test
    void aVersionThatIsBeingEvictedIsNotFilledAgain() throws Exception {
        region.put("leaving/object", random(20, 100_000));
        TestVersion version = mounted("leaving");
        region.state.beginEviction(version.name());
        drop(version);

        assertProblem(readObject(version, "leaving/object"), 409, ErrorCode.EVICTING);
        assertThat(region.reads("leaving/")).isEmpty();
    }
}
