package dev.forebay.worker;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.manifest.ChunkRef;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.placement.WorkerNode;
import dev.forebay.transfer.DropAnswer;
import dev.forebay.transfer.RegionFiles;
import dev.forebay.transfer.RegionFilesConfig;
import dev.forebay.transfer.WorkerSet;
import dev.forebay.transfer.WorkerUsage;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Chunks that a worker keeps, evicts and drops, and the versions that it holds them for. */
class WorkerIT extends RunningWorker {

    @Test
    void usageReportsWhichVersionsShareBytesAndWhenTheyWereRead() throws Exception {
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
    void aWorkerFetchesTheManifestOfAMountedVersionBeforeAnyRead() {
        region.put("ahead/object", random(8, 100));
        TestVersion version = region.mount("ahead", "ahead/");

        String name = version.ref().digest() + ".sqlite";
        await(() -> Files.exists(worker.store().resolve("manifests").resolve(name)));
    }

    @Test
    void aWorkerDropsChunksOnlyWhenNoOtherVersionSharesThem() throws Exception {
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

        // The worker keeps the chunks until it sees that the first version is unmounted.
        await(() -> drop(second).chunksDropped() == 1);
        region.state.unmount(second.name());
        awaitStatus(worker, second, 404);
    }

    @Test
    void aReadDoesNotRefillAVersionThatIsBeingEvicted() throws Exception {
        region.put("leaving/object", random(20, 100_000));
        TestVersion version = mounted("leaving");
        region.state.beginEviction(version.name());
        drop(version);

        assertProblem(readObject(version, "leaving/object"), 409, ErrorCode.EVICTING);
        assertThat(region.reads("leaving/")).isEmpty();
    }

    @Test
    void anImageRequestFailsUnlessTheVersionIsMountedWithThatManifest(@TempDir Path directory)
            throws Exception {
        region.put("no-image/object", random(33, 100));
        TestVersion version = mounted("no-image");
        WorkerNode node = worker.node();
        WorkerSet one = new WorkerSet(List.of(node), Set.of(node.id()));
        RegionFiles files = new RegionFiles(client, () -> one, RegionFilesConfig.defaults());
        DatasetVersion other = DatasetVersion.of("ns", "data", "another");

        assertThatThrownBy(
                        () ->
                                files.image(
                                        other, version.ref().digest(), directory.resolve("image")))
                .isInstanceOfSatisfying(
                        ForebayException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_FOUND));
        HttpResponse<byte[]> nameless = worker.get(version.manifestPath() + "/image");
        assertThat(nameless.statusCode()).isEqualTo(400);
        assertThat(new String(nameless.body(), UTF_8)).contains("\"field\":\"version\"");
    }
}
