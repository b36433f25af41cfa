package dev.forebay.agent.capacity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.forebay.agent.workers.WrittenManifests;
import dev.forebay.membership.Mount;
import dev.forebay.membership.Pin;
import dev.forebay.membership.QueuedVersion;
import dev.forebay.membership.RegionView;
import dev.forebay.model.ChunkId;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.RegionName;
import dev.forebay.placement.WorkerNode;
import dev.forebay.workflows.message.Urgency;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** "Admission": which versions a region admits, and which wait. Sizes are in chunks. */
class AdmissionRuleTest {

    private static final RegionName US = new RegionName("us-1");
    private static final Instant NOON = Instant.parse("2026-11-20T12:00:00Z");
    private static final long CHUNK = ChunkId.CHUNK_BYTES;

    private final WrittenManifests manifests;
    private final List<Mount> mounts = new ArrayList<>();
    private final List<QueuedVersion> queue = new ArrayList<>();
    private final List<Pin> pins = new ArrayList<>();
    private long capacity = 10 * CHUNK;
    private long had = 10 * CHUNK;
    private List<WorkerNode> departed = List.of();
    private Set<String> notUnderstood = Set.of();

    AdmissionRuleTest(@TempDir Path directory) {
        manifests = new WrittenManifests(directory);
    }

    @Test
    void aVersionIsAdmittedIfItFitsAndOtherwiseWaits() {
        mounted("a/x@v1", 6);

        assertThat(wants("b/y@v1", 4)).isEmpty();
        assertThat(wants("b/y@v1", 5).orElseThrow().reason())
                .contains("first in the queue", "are in use");
    }

    @Test
    void aVersionTakesSpaceFromItsMountUntilItsEvictionEnds() {
        mounts.add(new Mount(version("a/x@v1"), manifest("a/x@v1", 6), Mount.State.WARMING));
        mounts.add(new Mount(version("a/y@v1"), manifest("a/y@v1", 3), Mount.State.EVICTING));

        assertThat(wants("b/y@v1", 2).orElseThrow().bytes()).isEqualTo(2 * CHUNK);
        assertThat(wants("b/y@v1", 1)).isEmpty();
    }

    @Test
    void aVersionLargerThanTheRegionIsRefused() {
        assertThatExceptionOfType(ForebayException.class)
                .isThrownBy(() -> wants("b/y@v1", 11))
                .matches(e -> e.code() == ErrorCode.TOO_LARGE)
                .withMessageContaining("all chunk stores of us-1");
    }

    @Test
    void aVersionThatNeedsTheSpaceOfAnAbsentWorkerWaitsWithoutBlockingOthers() {
        capacity = 6 * CHUNK;

        QueuedVersion waiting = wants("b/y@v1", 7).orElseThrow();
        assertThat(waiting.steppedAside()).isTrue();
        assertThat(waiting.reason()).contains("are missing");
        queue.add(waiting);
        assertThat(wants("b/z-behind-it@v1", 6)).isEmpty();

        capacity = 10 * CHUNK;
        assertThat(wants("b/y@v1", 7)).isEmpty();
    }

    /** The agent has no memory of them, but etcd has. */
    @Test
    void aRestartedAgentCountsTheCapacityOfDepartedWorkers() {
        had = 0;
        departed = List.of(new WorkerNode("away", URI.create("http://w.invalid:2"), 3 * CHUNK));

        assertThat(wants("b/y@v1", 13).orElseThrow().reason()).contains("are missing");
        assertThatExceptionOfType(ForebayException.class)
                .isThrownBy(() -> wants("b/y@v1", 14))
                .matches(e -> e.code() == ErrorCode.TOO_LARGE);
    }

    @Test
    void aLargeVersionWaitsIfTheAgentCannotReadAWorkerOfALaterRelease() {
        notUnderstood = Set.of("workers/w2");

        assertThat(wants("b/y@v1", 1000).orElseThrow().reason()).contains("upgrade");
    }

    @Test
    void aVersionLargerThanItsQuotaIsRefusedDespiteFreeSpace() {
        assertThatExceptionOfType(ForebayException.class)
                .isThrownBy(() -> wants("b/y@v1", 4, Urgency.INTERACTIVE, 3L))
                .matches(e -> e.code() == ErrorCode.TOO_LARGE)
                .withMessageContaining("the quota of namespace b");
    }

    @Test
    void aVersionOverItsQuotaWaitsWithoutBlockingOthers() {
        mounted("b/x@v1", 3);

        QueuedVersion waits = wants("b/y@v1", 2, Urgency.INTERACTIVE, 4L).orElseThrow();

        assertThat(waits.steppedAside()).isTrue();
        assertThat(waits.reason()).contains("quota");
        queue.add(waits);
        // Its namespace has less in the region, so it would be first in the queue.
        mounted("c/x@v1", 4);
        assertThat(wants("c/z@v1", 2)).isEmpty();
        assertThat(wants("b/y@v1", 1, Urgency.INTERACTIVE, 4L)).isEmpty();
    }

    @Test
    void chunksSharedWithAnotherDatasetNeedNoSpace() {
        ManifestRef v1 = manifests.write("v1", null, "a", 6 * CHUNK);
        ManifestRef v2 = manifests.write("v2", v1, "a", 6 * CHUNK, "b", 4 * CHUNK);
        ManifestRef v3 = manifests.write("v3", v2, "a", 6 * CHUNK, "c", 5 * CHUNK);
        mounts.add(new Mount(version("a/x@v1"), v1, Mount.State.CACHED));

        assertThat(wants("b/same@v1", v1, Urgency.INTERACTIVE, null)).isEmpty();
        assertThat(wants("b/more@v1", v2, Urgency.INTERACTIVE, null)).isEmpty();
        assertThatExceptionOfType(ForebayException.class)
                .isThrownBy(() -> wants("b/most@v1", v3, Urgency.INTERACTIVE, null))
                .matches(e -> e.code() == ErrorCode.TOO_LARGE);
        mounts.add(new Mount(version("c/x@v1"), v2, Mount.State.CACHED));
        assertThat(wants("b/last@v1", 1).orElseThrow().reason())
                .contains("83,886,080 of 83,886,080 are in use");
    }

    @Test
    void chunksSharedWithAnotherNamespaceStillCountAgainstTheQuota() {
        ManifestRef v1 = manifests.write("v1", null, "a", 3 * CHUNK);
        mounts.add(new Mount(version("a/x@v1"), v1, Mount.State.CACHED));
        mounted("b/x@v1", 2);

        QueuedVersion waits = wants("b/y@v1", v1, Urgency.INTERACTIVE, 4L).orElseThrow();
        assertThat(waits.steppedAside()).isTrue();
        assertThat(waits.reason()).contains("quota", "needs 25,165,824");
        assertThat(wants("b/y@v1", v1, Urgency.INTERACTIVE, 5L)).isEmpty();
        assertThatExceptionOfType(ForebayException.class)
                .isThrownBy(() -> wants("b/y@v1", v1, Urgency.INTERACTIVE, 2L))
                .withMessageContaining("the quota of namespace b");
    }

    @Test
    void theQueueCountsSharedChunksOnceWhenItComparesNamespaces() {
        ManifestRef v1 = manifests.write("v1", null, "a", 3 * CHUNK);
        for (String name : List.of("a/x@v1", "a/y@v1", "a/z@v1")) {
            mounts.add(new Mount(version(name), v1, Mount.State.CACHED));
        }
        mounted("b/x@v1", 4);
        queue.add(waiting("b/y@v1", 1, 0, -60));

        assertThat(wants("a/last@v1", 1)).isEmpty();
    }

    @Test
    void aLaterVersionWaitsBehindALargerOneEvenIfItFits() {
        mounted("a/x@v1", 6);
        queue.add(waiting("b/large@v1", 5, 0, -60));

        QueuedVersion small = wants("c/small@v1", 1).orElseThrow();

        assertThat(small.reason()).contains("number 2 of 2", "b/large@v1");
        assertThat(small.since()).isEqualTo(NOON);
    }

    @Test
    void anInteractiveVersionGoesBeforeAQueuedSpeculativeOne() {
        queue.add(waiting("b/hint@v1", 9, 1, -60));

        assertThat(wants("c/job@v1", 5)).isEmpty();
        assertThat(wants("c/hint@v1", 5, Urgency.SPECULATIVE, null).orElseThrow().reason())
                .contains("number 2 of 2");
    }

    @Test
    void aWaitingVersionKeepsItsPlaceInTheQueue() {
        mounted("a/x@v1", 6);
        queue.add(waiting("b/y@v1", 5, 0, -60));
        queue.add(waiting("c/z@v1", 1, 0, -30));

        assertThat(wants("b/y@v1", 5).orElseThrow().since()).isEqualTo(NOON.minusSeconds(60));
        assertThat(wants("c/z@v1", 1).orElseThrow().reason()).contains("number 2 of 2");
        mounts.clear();
        assertThat(wants("b/y@v1", 5)).isEmpty();
    }

    @Test
    void evictionsCouldHelpTheNextInteractiveVersionIfEnoughSpaceIsUnpinned() {
        mounted("a/x@v1", 6);
        mounted("a/y@v1", 4);
        pins.add(new Pin(version("a/x@v1"), "p", "me", "", Duration.ofMinutes(1)));

        assertThat(evictionsCouldHelp("b/z@v1", 5, Urgency.INTERACTIVE, null)).isFalse();
        assertThat(evictionsCouldHelp("b/z@v1", 4, Urgency.INTERACTIVE, null)).isTrue();
        pins.clear();
        assertThat(evictionsCouldHelp("b/z@v1", 5, Urgency.INTERACTIVE, null)).isTrue();
        assertThat(evictionsCouldHelp("b/z@v1", 5, Urgency.SPECULATIVE, null)).isFalse();
        queue.add(waiting("c/before@v1", 1, 0, -60));
        assertThat(evictionsCouldHelp("b/z@v1", 5, Urgency.INTERACTIVE, null)).isFalse();
    }

    @Test
    void evictionsCannotHelpIfPinnedVersionsShareTheChunks() {
        ManifestRef v1 = manifests.write("v1", null, "a", 5 * CHUNK, "b", 2 * CHUNK);
        ManifestRef v2 = manifests.write("v2", v1, "a", 5 * CHUNK, "c", 3 * CHUNK);
        mounts.add(new Mount(version("a/x@v1"), v1, Mount.State.CACHED));
        mounts.add(new Mount(version("a/x@v2"), v2, Mount.State.CACHED));

        assertThat(evictionsCouldHelp("b/z@v1", 10, Urgency.INTERACTIVE, null)).isTrue();
        pins.add(new Pin(version("a/x@v2"), "p", "me", "", Duration.ofMinutes(1)));
        assertThat(evictionsCouldHelp("b/z@v1", 2, Urgency.INTERACTIVE, null)).isTrue();
        assertThat(evictionsCouldHelp("b/z@v1", 3, Urgency.INTERACTIVE, null)).isFalse();
    }

    @Test
    void evictionsCannotHelpWhileOtherVersionsAreBeingFilledOrEvicted() {
        mounts.add(new Mount(version("a/x@v1"), manifest("a/x@v1", 6), Mount.State.WARMING));
        mounts.add(new Mount(version("a/y@v1"), manifest("a/y@v1", 4), Mount.State.EVICTING));

        assertThat(evictionsCouldHelp("b/z@v1", 5, Urgency.INTERACTIVE, null)).isFalse();
    }

    @Test
    void evictionsHelpAgainstAQuotaOnlyWithinItsNamespace() {
        mounted("a/x@v1", 4);
        mounted("b/x@v1", 2);

        assertThat(evictionsCouldHelp("b/y@v1", 2, Urgency.INTERACTIVE, 2L)).isTrue();
        pins.add(new Pin(version("b/x@v1"), "p", "me", "", Duration.ofMinutes(1)));
        assertThat(evictionsCouldHelp("b/y@v1", 2, Urgency.INTERACTIVE, 2L)).isFalse();
    }

    @Test
    void admissionIsUnavailableInARegionWithoutWorkers() {
        capacity = 0;

        assertThatExceptionOfType(ForebayException.class)
                .isThrownBy(() -> wants("b/y@v1", 1))
                .matches(e -> e.code() == ErrorCode.UNAVAILABLE);
    }

    private void mounted(String name, long chunks) {
        mounts.add(new Mount(version(name), manifest(name, chunks), Mount.State.CACHED));
    }

    private static QueuedVersion waiting(String name, long chunks, int rank, long seconds) {
        return new QueuedVersion(
                version(name),
                manifest(name, chunks),
                chunks * CHUNK,
                rank,
                NOON.plusSeconds(seconds),
                false,
                "full");
    }

    /** Returns how the version waits. Empty if it is admitted. */
    private Optional<QueuedVersion> wants(String name, long chunks) {
        return wants(name, chunks, Urgency.INTERACTIVE, null);
    }

    private Optional<QueuedVersion> wants(
            String name, long chunks, Urgency urgency, @Nullable Long quotaChunks) {
        return wants(name, manifest(name, chunks), urgency, quotaChunks);
    }

    private Optional<QueuedVersion> wants(
            String name, ManifestRef manifest, Urgency urgency, @Nullable Long quotaChunks) {
        return admission(name, manifest, urgency, quotaChunks).judge(view());
    }

    private boolean evictionsCouldHelp(
            String name, long chunks, Urgency urgency, @Nullable Long quotaChunks) {
        return admission(name, manifest(name, chunks), urgency, quotaChunks)
                .evictionsCouldHelp(view());
    }

    private RegionView view() {
        return new RegionView(
                List.of(new WorkerNode("w", URI.create("http://w.invalid:1"), capacity)),
                Set.of("w"),
                mounts,
                pins,
                queue,
                departed,
                notUnderstood);
    }

    private AdmissionRule admission(
            String name, ManifestRef manifest, Urgency urgency, @Nullable Long quotaChunks) {
        return new AdmissionRule(
                new SpaceCalculator(manifests.cache()),
                US,
                had,
                version(name),
                manifest,
                urgency,
                quotaChunks == null ? null : quotaChunks * CHUNK,
                NOON);
    }

    private static DatasetVersion version(String name) {
        return DatasetVersion.parse(name);
    }

    /**
     * A manifest of full chunks of one large file. It has no manifest file, so it shares no chunks.
     */
    private static ManifestRef manifest(String name, long chunks) {
        String digest = "%064x".formatted(name.hashCode() & 0xffffffffL);
        return new ManifestRef("s3://m/k", new Digest(digest), 1, chunks * CHUNK, chunks);
    }
}
