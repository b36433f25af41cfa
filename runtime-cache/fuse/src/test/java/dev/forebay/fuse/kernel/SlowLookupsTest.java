package dev.forebay.fuse.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.fuse.TestDataset;
import dev.forebay.fuse.fs.FileSystemView;
import dev.forebay.fuse.fs.InodeNumbers;
import dev.forebay.fuse.fs.Manifests;
import dev.forebay.fuse.fs.OperationMeter;
import dev.forebay.fuse.fs.PortableView;
import dev.forebay.fuse.fs.UpcallGuard;
import dev.forebay.fuse.kernel.FakeKernel.Answer;
import dev.forebay.fuse.kernel.device.FuseDevice;
import dev.forebay.fuse.kernel.device.Protocol;
import dev.forebay.fuse.kernel.protocol.EntryReply;
import dev.forebay.fuse.kernel.protocol.Opcode;
import dev.forebay.manifest.cache.ManifestCache;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ManifestRef;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Uses two versions of a dataset, one of which has a manifest that arrives late. */
@SuppressWarnings("NullAway.Init") // served before each
class SlowLookupsTest {

    /** More than there are threads to serve requests. */
    private static final int ASKED = 150;

    private static final int LENGTH = 4096;

    /** The first file of each version. */
    private static final String FILE = "file";

    @TempDir private Path directory;
    private final CountDownLatch arrival = new CountDownLatch(1);
    private final Map<String, TestDataset> datasets = new HashMap<>();
    private final FakeKernel kernel;
    private PortableView view;
    private KernelTransport transport;

    SlowLookupsTest() throws IOException {
        kernel = new FakeKernel();
    }

    @BeforeEach
    void serve() {
        for (String version : List.of("here", "awaited")) {
            SortedMap<String, byte[]> objects = TestDataset.noObjects();
            objects.put(FILE, TestDataset.bytes(LENGTH, 1));
            // Otherwise the manifests would be equal.
            objects.put("only " + version, TestDataset.bytes(1, 1));
            DatasetVersion name = DatasetVersion.of("team", "set", version);
            datasets.put(version, TestDataset.write(directory, name, objects));
        }
        ManifestCache manifests =
                new ManifestCache(directory.resolve("manifests"), 1 << 30, this::fetch);
        view =
                new PortableView(
                        new Manifests(manifests),
                        (_, _, _, _, target) -> target.position(target.limit()),
                        1000,
                        InodeNumbers.unkept(),
                        0);
        view.show(datasets.values().stream().map(TestDataset::mount).toList());
        FuseDevice device =
                new FuseDevice(
                        List.of(kernel.device()), new Protocol(Protocol.NEWEST_MINOR, 0, LENGTH));
        transport = KernelTransport.serve(view, new UpcallGuard(OperationMeter.NONE), device);
    }

    @AfterEach
    void close() throws Exception {
        arrival.countDown();
        transport.close();
        kernel.close();
    }

    private void fetch(ManifestRef ref, Path target) {
        try {
            for (TestDataset dataset : datasets.values()) {
                if (dataset.mount().manifest().equals(ref)) {
                    if (dataset.equals(datasets.get("awaited"))) {
                        arrival.await();
                    }
                    Files.copy(dataset.file().path(), target);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Returns the directory of the versions; reads no manifest. */
    private long dataset() {
        long namespace = view.lookup(FileSystemView.ROOT, "team").inode();
        return view.lookup(namespace, "set").inode();
    }

    /** Returns the topmost directory of a version; reads no manifest. */
    private long version(String version) {
        Map<String, Long> found = new HashMap<>();
        view.opendir(dataset())
                .list(
                        0,
                        (name, inode, _, _) -> {
                            found.put(name, inode);
                            return true;
                        });
        return Objects.requireNonNull(found.get(version));
    }

    @Test
    void requestsThatWaitForAManifestDoNotDelayOtherVersions() throws Exception {
        long file = view.lookup(version("here"), FILE).inode();
        Set<Long> waiting = new HashSet<>();
        for (int i = 0; waiting.size() < ASKED; i++) {
            long version = version("awaited");
            waiting.add(
                    switch (i % 4) {
                        case 0 -> kernel.read(Opcode.GETATTR, version, LENGTH);
                        case 1 -> kernel.name(Opcode.LOOKUP, version, FILE);
                        case 2 -> kernel.read(Opcode.READDIRPLUS, version, LENGTH);
                        // After a takeover, the kernel knows files that the pod does not know.
                        default -> kernel.read(Opcode.READ, sibling(version, file), LENGTH);
                    });
        }
        long read = kernel.read(Opcode.READ, file, LENGTH);
        assertThat(kernel.next()).isEqualTo(new Answer(read, 0, LENGTH));
        long lookup = kernel.name(Opcode.LOOKUP, version("here"), FILE);
        assertThat(kernel.next().unique()).isEqualTo(lookup);

        arrival.countDown();
        while (!waiting.isEmpty()) {
            Answer answer = kernel.next();
            assertThat(answer.error()).isZero();
            assertThat(answer.bytes()).isPositive();
            assertThat(waiting.remove(answer.unique())).isTrue();
        }
    }

    /** Otherwise the kernel would unmount the version's image. */
    @Test
    void lookupFindsAVersionBeforeItsManifestArrives() throws Exception {
        long lookup = kernel.name(Opcode.LOOKUP, dataset(), "awaited");
        assertThat(kernel.next()).isEqualTo(new Answer(lookup, 0, EntryReply.BYTES));
    }

    /** Returns the same file of another version: both versions number their files alike. */
    private static long sibling(long version, long file) {
        long node = 0xffffffffL;
        return (version & ~node) | (file & node);
    }
}
