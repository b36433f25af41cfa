package dev.forebay.agent.capacity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.agent.fill.FillRate;
import dev.forebay.agent.workers.Workers;
import dev.forebay.agent.workers.WrittenManifests;
import dev.forebay.manifest.cache.ManifestCache;
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
import dev.forebay.placement.WorkerNode;
import dev.forebay.service.gateway.FillSpeed;
import dev.forebay.service.gateway.RegionSurvey;
import dev.forebay.service.gateway.RegionSurvey.Missing;
import dev.forebay.service.gateway.RegionSurvey.Resident;
import dev.forebay.service.gateway.RegionSurvey.Share;
import dev.forebay.service.gateway.SurveyRequest;
import dev.forebay.transfer.Coverage;
import dev.forebay.transfer.DropAnswer;
import dev.forebay.transfer.FillAnswer;
import dev.forebay.transfer.VerifyAnswer;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The survey of a version, with real manifests and workers in memory. */
class VersionSurveyTest {

    private static final long CHUNK = ChunkId.CHUNK_BYTES;

    /** The space of a chunk of one page: the page, and its footer. */
    private static final long SHORT = 2L * ChunkId.ALIGNMENT_BYTES;

    private static final DatasetVersion V1 = DatasetVersion.parse("team/a@v1");
    private static final DatasetVersion V2 = DatasetVersion.parse("team/a@v2");
    private static final DatasetVersion V3 = DatasetVersion.parse("team/a@v3");
    private static final DatasetVersion OTHER = DatasetVersion.parse("team/b@v1");
    private static final DatasetVersion ELSEWHERE = DatasetVersion.parse("others/b@v1");
    private static final DatasetVersion NEW = DatasetVersion.parse("others/new@v1");

    private final Region region = new Region();
    private final WrittenManifests manifests;

    VersionSurveyTest(@TempDir Path directory) {
        manifests = new WrittenManifests(directory);
    }

    @Test
    void anUnmountedVersionLacksEveryByte() {
        ManifestRef v1 = written("v1", null, "big", 2 * CHUNK + 1, "empty", 0, "small", 100);

        RegionSurvey survey = survey().of(asked(V1, v1));

        // The large object lies in three chunks, and the small one behind it in the third.
        assertThat(survey.missing()).isEqualTo(new Missing(2 * CHUNK + 101, 2, 4, true));
        assertThat(survey.neededBytes()).isEqualTo(v1.spaceBytes());
        assertThat(survey.takenBytes()).isZero();
        assertThat(survey.capacityBytes()).isEqualTo(2_000);
        assertThat(survey.residents()).isEmpty();
        assertThat(survey.speed()).isEqualTo(new FillSpeed(null, null));
    }

    @Test
    void theSurveyCombinesTheCoverageOfAllWorkers() {
        ManifestRef v1 = written("v1", null, "a", CHUNK, "b", 2 * CHUNK, "c", CHUNK / 2, "d", 1);
        region.mounts.add(new Mount(V1, v1, Mount.State.WARMING));
        region.holds("w1", v1, 0);
        region.holds("w2", v1, 2);

        RegionSurvey survey = survey().of(asked(V1, v1));

        // The first half of b, and c and d. Object b counts once although a present chunk lies in
        // between.
        assertThat(survey.missing()).isEqualTo(new Missing(CHUNK + CHUNK / 2 + 1, 3, 3, true));
        assertThat(survey.neededBytes()).isZero();
        assertThat(survey.takenBytes()).isEqualTo(v1.spaceBytes());
    }

    @Test
    void anObjectWithTwoMissingPartsCountsOnce() {
        ManifestRef v1 = written("v1", null, "a", 3 * CHUNK, "b", 10);
        region.mounts.add(new Mount(V1, v1, Mount.State.WARMING));
        region.holds("w1", v1, 1);

        assertThat(survey().of(asked(V1, v1)).missing())
                .isEqualTo(new Missing(2 * CHUNK + 10, 2, 3, true));
    }

    @Test
    void aWorkerThatDoesNotAnswerMakesTheSurveyInexact() {
        ManifestRef v1 = written("v1", null, "a", 2 * CHUNK);
        region.mounts.add(new Mount(V1, v1, Mount.State.CACHED));
        region.holds("w1", v1, 0);
        region.down = "w2";

        assertThat(survey().of(asked(V1, v1)).missing()).isEqualTo(new Missing(CHUNK, 1, 1, false));
    }

    @Test
    void aNewVersionUsesTheChunksOfAMountedVersionOfItsDataset() {
        ManifestRef v1 = written("v1", null, "a", 3 * CHUNK, "b", 100);
        ManifestRef v2 = written("v2", v1, "a", 3 * CHUNK, "b", 101);
        region.mounts.add(new Mount(V1, v1, Mount.State.CACHED));
        region.holds("w1", v1, 0, 1);
        region.holds("w2", v1, 3);

        RegionSurvey survey = survey().of(asked(V2, v2));

        assertThat(survey.missing()).isEqualTo(new Missing(CHUNK + 101, 2, 2, false));
        // The fourth chunk of the old pack belongs to v1 alone, and v2 has one page in a new pack.
        assertThat(survey.neededBytes()).isEqualTo(SHORT);
        assertThat(survey.residents())
                .containsExactly(
                        new Resident(V1.toString(), v1.bytes(), 2, 3 * CHUNK + SHORT, "CACHED", 0));
    }

    @Test
    void sharedChunksCountOnceForTheQuotaOfANamespace() {
        ManifestRef v1 = written("v1", null, "a", 3 * CHUNK, "b", 100);
        ManifestRef v2 = written("v2", v1, "a", 3 * CHUNK, "b", 101);
        ManifestRef other = written("other", null, "a", CHUNK);
        region.mounts.add(new Mount(V1, v1, Mount.State.CACHED));
        region.mounts.add(new Mount(V2, v2, Mount.State.CACHED));
        region.mounts.add(
                new Mount(DatasetVersion.parse("others/a@v1"), other, Mount.State.CACHED));

        RegionSurvey survey = survey().of(asked(OTHER, other));

        assertThat(survey.namespaceBytes()).isEqualTo(3 * CHUNK + 2 * SHORT);
        assertThat(survey.takenBytes()).isEqualTo(3 * CHUNK + 2 * SHORT + other.spaceBytes());
    }

    @Test
    void sharedChunksCountOnceForTheRegionAndOnceForEachNamespace() {
        ManifestRef v1 = written("v1", null, "a", 3 * CHUNK, "b", 100);
        ManifestRef v2 = written("v2", v1, "a", 3 * CHUNK, "b", 101);
        region.mounts.add(new Mount(V1, v1, Mount.State.CACHED));
        region.mounts.add(new Mount(V2, v2, Mount.State.CACHED));
        region.mounts.add(new Mount(OTHER, v1, Mount.State.CACHED));
        region.mounts.add(new Mount(ELSEWHERE, v1, Mount.State.WARMING));

        RegionSurvey survey = survey().of(asked(NEW, v2));

        assertThat(survey.takenBytes()).isEqualTo(3 * CHUNK + 2 * SHORT);
        assertThat(survey.neededBytes()).isZero();
        assertThat(survey.namespaceBytes()).as("of others").isEqualTo(3 * CHUNK + SHORT);
        assertThat(survey.countedBytes()).isEqualTo(SHORT);
        assertThat(survey.relatives()).as("its quota may need evictions").hasSize(1);
        assertThat(survey.relatives().getFirst().versions())
                .containsExactly(
                        V1.toString(),
                        V2.toString(),
                        OTHER.toString(),
                        ELSEWHERE.toString(),
                        NEW.toString());
        assertThat(survey.relatives().getFirst().shares())
                .containsExactlyInAnyOrder(
                        new Share(3 * CHUNK, List.of(0, 1, 2, 3, 4)),
                        new Share(SHORT, List.of(0, 2, 3)),
                        new Share(SHORT, List.of(1, 4)));
    }

    @Test
    void aNewVersionUsesTheChunksOfAMountedVersionOfAnotherDataset() {
        ManifestRef v1 = written("v1", null, "a", 3 * CHUNK, "b", 100);
        ManifestRef v2 = written("v2", v1, "a", 3 * CHUNK, "b", 101);
        region.mounts.add(new Mount(OTHER, v1, Mount.State.CACHED));
        region.holds("w1", v1, 0, 1, 2, 3);

        RegionSurvey survey = survey().of(asked(V2, v2));

        assertThat(survey.missing()).isEqualTo(new Missing(101, 1, 1, false));
        assertThat(survey.neededBytes()).isEqualTo(SHORT);
    }

    @Test
    void aDatasetOfTheSameObjectsUnderALongerPrefixNeedsNoSpace() {
        ManifestRef wide = manifests.write("wide", "d/", null, "d/x/a", CHUNK, "d/x/b", 5);
        ManifestRef narrow = manifests.write("narrow", "d/x/", null, "d/x/a", CHUNK, "d/x/b", 5);
        region.mounts.add(new Mount(V1, wide, Mount.State.CACHED));

        assertThat(narrow).isNotEqualTo(wide);
        assertThat(survey().of(asked(OTHER, narrow)).neededBytes()).isZero();
    }

    @Test
    void aQueuedVersionNeedsNoSpaceForTheChunksOfEarlierOnes() {
        ManifestRef v1 = written("v1", null, "a", 3 * CHUNK, "b", 100);
        ManifestRef v2 = written("v2", v1, "a", 3 * CHUNK, "b", 101);
        region.queue.add(waiting(V1, v1, 1));
        region.queue.add(waiting(OTHER, v1, 2));
        region.queue.add(waiting(V2, v2, 3));

        assertThat(survey().of(new SurveyRequest(null, null, true)).queue())
                .extracting(RegionSurvey.Queued::bytes)
                .containsExactly(v1.spaceBytes(), 0L, SHORT);
    }

    private static QueuedVersion waiting(
            DatasetVersion version, ManifestRef manifest, long second) {
        return new QueuedVersion(
                version,
                manifest,
                manifest.spaceBytes(),
                0,
                Instant.EPOCH.plusSeconds(second),
                false,
                "it is full");
    }

    @Test
    void theSurveyListsSharedChunksWithTheirOwners() {
        ManifestRef v1 = written("v1", null, "a", 3 * CHUNK, "b", CHUNK);
        ManifestRef v2 = written("v2", v1, "a", 3 * CHUNK, "b", CHUNK + 1);
        ManifestRef v3 = written("v3", v2, "b", CHUNK + 1, "c", 2 * CHUNK);
        ManifestRef other = written("other", null, "x", CHUNK);
        region.mounts.add(new Mount(V1, v1, Mount.State.CACHED));
        region.mounts.add(new Mount(V2, v2, Mount.State.WARMING));
        region.mounts.add(new Mount(OTHER, other, Mount.State.CACHED));

        RegionSurvey survey = survey().of(asked(V3, v3));

        // The requested version is not mounted, but its needs are included.
        assertThat(survey.relatives()).hasSize(1);
        RegionSurvey.Relatives relatives = survey.relatives().getFirst();
        assertThat(relatives.versions())
                .containsExactly(V1.toString(), V2.toString(), V3.toString());
        assertThat(relatives.shares())
                .containsExactlyInAnyOrder(
                        new Share(3 * CHUNK, List.of(0, 1)),
                        new Share(CHUNK, List.of(0)),
                        new Share(CHUNK + SHORT, List.of(1, 2)),
                        new Share(2 * CHUNK, List.of(2)));
        assertThat(survey.neededBytes()).isEqualTo(2 * CHUNK);
        assertThat(survey.takenBytes()).isEqualTo(5 * CHUNK + SHORT + other.spaceBytes());
        assertThat(survey().of(asked(OTHER, null)).relatives().getFirst().versions())
                .containsExactly(V1.toString(), V2.toString());
    }

    @Test
    void anUnmountedVersionFreesTheSpaceThatItAloneOwned() {
        ManifestRef v1 = written("v1", null, "a", 100, "b", 100, "c", 100);
        ManifestRef v2 = written("v2", v1, "a", 100, "b", 100, "c", 101);
        region.mounts.add(new Mount(V1, v1, Mount.State.CACHED));
        region.mounts.add(new Mount(V2, v2, Mount.State.CACHED));
        VersionSurvey survey = survey();

        RegionSurvey before = survey.of(asked(V3, null));
        region.mounts.removeLast();
        RegionSurvey after = survey.of(asked(V3, null));

        Share alone =
                before.relatives().getFirst().shares().stream()
                        .filter(share -> share.owners().equals(List.of(1)))
                        .findFirst()
                        .orElseThrow();
        assertThat(alone.bytes()).isPositive();
        assertThat(after.takenBytes()).isEqualTo(before.takenBytes() - alone.bytes());
        assertThat(after.relatives()).isEmpty();
    }

    @Test
    void twoVersionsWithOneManifestOwnItsChunksTogether() {
        ManifestRef v1 = written("v1", null, "a", CHUNK);
        region.mounts.add(new Mount(V1, v1, Mount.State.CACHED));
        region.mounts.add(new Mount(V2, v1, Mount.State.CACHED));

        assertThat(survey().of(asked(OTHER, null)).relatives())
                .singleElement()
                .extracting(RegionSurvey.Relatives::shares)
                .isEqualTo(List.of(new Share(v1.spaceBytes(), List.of(0, 1))));
    }

    @Test
    void aChunkOfANewerVersionDoesNotCoverTheSameChunkOfAnOlderOne() {
        ManifestRef v1 = written("v1", null, "a", 100, "b", 100);
        ManifestRef v2 = written("v2", v1, "a", 100, "b", 101);
        region.mounts.add(new Mount(V2, v2, Mount.State.CACHED));
        region.holds("w1", v2, 0, 1);

        assertThat(survey().of(asked(V1, v1)).missing()).isEqualTo(new Missing(200, 2, 2, false));
    }

    @Test
    void theSurveyListsOtherVersionsWithTheirPins() {
        ManifestRef b = written("b", null, "x", 5);
        region.mounts.add(new Mount(OTHER, b, Mount.State.CACHED));
        region.pins.add(new Pin(OTHER, "p", "me", "", Duration.ofSeconds(9)));

        RegionSurvey survey = survey().of(asked(V1, null));

        assertThat(survey.missing()).isNull();
        assertThat(survey.neededBytes()).isNull();
        assertThat(survey.takenBytes()).isEqualTo(5 + SHORT);
        assertThat(survey.residents())
                .containsExactly(new Resident(OTHER.toString(), 5, 1, 5 + SHORT, "CACHED", 1));
    }

    @Test
    void aSecondVersionWithTheSameManifestNeedsNoSpace() {
        ManifestRef v1 = written("v1", null, "a", CHUNK);
        region.mounts.add(new Mount(V1, v1, Mount.State.CACHED));
        region.holds("w1", v1, 0);

        RegionSurvey survey = survey().of(asked(V2, v1));

        assertThat(survey.neededBytes()).isZero();
        assertThat(survey.missing()).isEqualTo(new Missing(0, 0, 0, true));
    }

    @Test
    void theSurveyOmitsTheRelativesOfAVersionThatNeedsNoSpace() {
        ManifestRef v1 = written("v1", null, "a", CHUNK);
        ManifestRef v2 = written("v2", v1, "a", CHUNK, "b", 1);
        region.mounts.add(new Mount(V1, v1, Mount.State.CACHED));
        region.mounts.add(new Mount(V2, v2, Mount.State.CACHED));

        assertThat(survey().of(asked(V2, v2)).relatives()).isEmpty();
    }

    @Test
    void theSurveyReportsOneSizeForTheLastVersionOfAFamily() {
        ManifestRef v1 = written("v1", null, "a", 100, "b", 100, "c", 100);
        ManifestRef v2 = written("v2", v1, "a", 100, "b", 100, "c", 101);
        region.mounts.add(new Mount(V1, v1, Mount.State.CACHED));
        region.mounts.add(new Mount(V2, v2, Mount.State.CACHED));
        VersionSurvey survey = survey();
        survey.of(asked(V3, null));
        region.mounts.removeFirst();

        RegionSurvey after = survey.of(asked(V3, null));

        assertThat(after.takenBytes()).isNotEqualTo(v2.spaceBytes());
        assertThat(after.residents())
                .extracting(Resident::spaceBytes)
                .containsExactly(after.takenBytes());
    }

    @Test
    void theCacheOfSharedSpaceIsBoundedByItsHeapSize() {
        ManifestRef v1 = written("v1", null, "a", CHUNK);
        ManifestRef v2 = written("v2", v1, "a", CHUNK, "b", 1);
        ManifestRef v3 = written("v3", v2, "a", CHUNK, "b", 2);
        ManifestCache cache = manifests.cache();
        long ofTwo = SharedSpace.read(Set.of(v1, v2), cache).heapBytes();
        long ofAll = SharedSpace.read(Set.of(v1, v2, v3), cache).heapBytes();
        SpaceCalculator space = new SpaceCalculator(cache, ofAll);

        space.shared(Set.of(v1, v2));
        assertThat(space.heapBytes()).isEqualTo(ofTwo);
        space.shared(Set.of(v1, v2, v3));
        assertThat(space.heapBytes()).isEqualTo(ofAll);
    }

    private static SurveyRequest asked(DatasetVersion version, @Nullable ManifestRef manifest) {
        return new SurveyRequest(version.toString(), manifest, false);
    }

    private VersionSurvey survey() {
        ManifestCache cache = manifests.cache();
        return new VersionSurvey(
                region, cache, new SpaceCalculator(cache), new FillRate(System::nanoTime));
    }

    private ManifestRef written(String name, @Nullable ManifestRef before, Object... objects) {
        return manifests.write(name, before, objects);
    }

    /** A region of two workers. */
    private final class Region implements Workers {
        private final List<Mount> mounts = new ArrayList<>();
        private final List<Pin> pins = new ArrayList<>();
        private final List<QueuedVersion> queue = new ArrayList<>();
        private final Map<String, Map<Digest, BitSet>> held = new HashMap<>();
        private final Map<String, Long> liveBytes = new HashMap<>();
        private @Nullable String down;

        void holds(String worker, ManifestRef manifest, int... ordinals) {
            BitSet bits = new BitSet();
            for (int ordinal : ordinals) {
                bits.set(ordinal);
            }
            held.computeIfAbsent(worker, id -> new HashMap<>()).put(manifest.digest(), bits);
            liveBytes.put(manifest.digest() + worker, manifests.liveBytes(manifest, bits));
        }

        @Override
        public RegionView view() {
            return new RegionView(
                    List.of(node("w1"), node("w2")), Set.of("w1", "w2"), mounts, pins, queue);
        }

        private static WorkerNode node(String id) {
            return new WorkerNode(id, URI.create("http://" + id + ".invalid:1"), 1_000);
        }

        @Override
        public Coverage coverage(WorkerNode worker, Digest manifest) {
            if (worker.id().equals(down)) {
                throw new ForebayException(ErrorCode.UNAVAILABLE, "it is down");
            }
            BitSet bits =
                    held.getOrDefault(worker.id(), Map.of()).getOrDefault(manifest, new BitSet());
            long live = liveBytes.getOrDefault(manifest + worker.id(), 0L);
            return new Coverage(bits.length(), bits, live, Map.of(), Map.of());
        }

        @Override
        public FillAnswer fill(WorkerNode worker, Digest manifest, ChunkId chunk) {
            throw new UnsupportedOperationException("a survey fills nothing");
        }

        @Override
        public DropAnswer drop(WorkerNode worker, Digest manifest) {
            throw new UnsupportedOperationException("a survey drops nothing");
        }

        @Override
        public VerifyAnswer verify(WorkerNode worker, Digest manifest, ChunkId chunk) {
            throw new UnsupportedOperationException("a survey compares nothing");
        }

        @Override
        public void disagrees(WorkerNode worker, String how) {
            throw new UnsupportedOperationException("a survey compares no figures");
        }

        @Override
        public void remove(String workerId) {
            throw new UnsupportedOperationException("a survey removes nobody");
        }
    }
}
