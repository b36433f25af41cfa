package dev.forebay.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.chunkstore.NeighbourStore;
import dev.forebay.fuse.fs.Manifests;
import dev.forebay.fuse.nodecache.NodePacksConfig;
import dev.forebay.fuse.read.LocalChunks;
import dev.forebay.manifest.cache.ManifestCache;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.PackId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks which versions count as complete on the node, by a node cache on a real disk. */
@SuppressWarnings("NullAway.Init") // written before each
class NodeHoldingsTest {

    private static final DatasetVersion VERSION = DatasetVersion.parse("ns/data@v1");

    @TempDir private Path directory;
    private final Set<DatasetVersion> natives = new HashSet<>();
    private volatile boolean down;
    private TestDataset dataset;

    @BeforeEach
    void write() {
        SortedMap<String, byte[]> objects = TestDataset.noObjects();
        objects.put("f", TestDataset.bytes(100_000, 1));
        dataset = TestDataset.write(directory, VERSION, objects);
    }

    /**
     * Returns the packs of a process that knows the mount table and has not opened its node cache.
     */
    private PodPacks process() {
        PodPacks packs =
                new PodPacks(
                        new NodePacksConfig(
                                directory.resolve("packs"),
                                1L << 30,
                                1L << 40,
                                Duration.ofMinutes(1),
                                Duration.ofMinutes(1),
                                0,
                                Duration.ofMinutes(1),
                                false),
                        false,
                        new Manifests(
                                new ManifestCache(
                                        directory.resolve("manifests"),
                                        1L << 30,
                                        (_, target) -> fetchManifest(target))),
                        new LocalChunks(
                                new NeighbourStore(List.of()),
                                (_, pack, from, to, target) -> fetch(pack, from, to, target)),
                        _ -> {});
        packs.update(List.of(dataset.mount()), false);
        return packs;
    }

    private void fetchManifest(Path target) {
        try {
            Files.copy(dataset.file().path(), target);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void fetch(PackId pack, long from, long to, ByteBuffer target) {
        if (down) {
            throw new ForebayException(ErrorCode.UNAVAILABLE, "no worker");
        }
        byte[] bytes = Objects.requireNonNull(dataset.packs().get(pack));
        target.put(bytes, (int) from, (int) (to - from));
    }

    private NodeHoldings holdings(PodPacks packs) {
        return new NodeHoldings(
                () -> List.of(dataset.mount()), () -> Set.copyOf(natives), Optional.of(packs));
    }

    private Digest manifest() {
        return dataset.mount().manifest().digest();
    }

    private static Set<DatasetVersion> nothing() {
        return new HashSet<>();
    }

    private static Set<DatasetVersion> said() {
        return new HashSet<>(Set.of(VERSION));
    }

    private static void eventually(BooleanSupplier condition) {
        long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            LockSupport.parkNanos(1_000_000);
        }
    }

    /** Leaves all packs on the disk. */
    private void bring() throws IOException {
        try (PodPacks before = process()) {
            before.openNow();
            before.open().orElseThrow().use(manifest());
            eventually(() -> holdings(before).find(nothing()).contains(VERSION));
        }
    }

    @Test
    void aVersionIsHeldOnceItIsCompleteOnTheNode() throws Exception {
        down = true;
        try (PodPacks packs = process()) {
            packs.openNow();
            packs.open().orElseThrow().use(manifest());
            eventually(() -> !packs.open().orElseThrow().isUndecided(manifest()));
            assertThat(holdings(packs).find(nothing())).isEmpty();
        }
        down = false;
        bring();
    }

    @Test
    void aNativeVersionIsHeldWithoutACheckOfTheNodeCache() throws Exception {
        natives.add(VERSION);
        natives.add(DatasetVersion.parse("ns/unmounted@v1"));
        try (PodPacks packs = process()) {
            assertThat(holdings(packs).find(nothing())).containsExactly(VERSION);
        }
        NodeHoldings without =
                new NodeHoldings(
                        () -> List.of(dataset.mount()),
                        () -> Set.copyOf(natives),
                        Optional.empty());
        assertThat(without.find(said())).containsExactly(VERSION);
        natives.clear();
        assertThat(without.find(said())).isEmpty();
    }

    /** The version is reported at every moment. */
    @Test
    void aSuccessorKeepsReportedVersionsUntilItHasCheckedThem() throws Exception {
        bring();
        down = true;
        try (PodPacks packs = process()) {
            NodeHoldings holdings = holdings(packs);
            Set<DatasetVersion> unproven = said();
            assertThat(holdings.find(unproven)).as("not open yet").containsExactly(VERSION);

            packs.openNow();
            eventually(
                    () -> {
                        assertThat(holdings.find(unproven)).containsExactly(VERSION);
                        return unproven.isEmpty();
                    });

            assertThat(packs.open().orElseThrow().isWhole(manifest())).isTrue();
        }
    }

    @Test
    void aSuccessorStopsReportingAVersionThatIsNotOnTheNode() throws Exception {
        down = true;
        try (PodPacks packs = process()) {
            NodeHoldings holdings = holdings(packs);
            Set<DatasetVersion> unproven = said();
            packs.openNow();
            eventually(() -> holdings.find(unproven).isEmpty());
            assertThat(unproven).isEmpty();

            down = false;
            assertThat(holdings.find(unproven)).as("once is enough").isEmpty();
        }
    }

    @Test
    void aSuccessorWithAFailedNodeCacheReportsNoVersion() throws Exception {
        Files.createFile(directory.resolve("packs"));
        try (PodPacks packs = process()) {
            packs.openInTurn();
            assertThat(holdings(packs).find(said())).isEmpty();
        }
    }
}
