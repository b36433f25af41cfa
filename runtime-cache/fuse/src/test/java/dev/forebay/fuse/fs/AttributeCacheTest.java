package dev.forebay.fuse.fs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.forebay.fuse.TestDataset;
import dev.forebay.manifest.Node;
import dev.forebay.manifest.cache.ManifestCache;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ManifestRef;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@SuppressWarnings("NullAway.Init")
class AttributeCacheTest {

    @TempDir private Path directory;

    private ManifestRef ref;
    private ManifestCache files;
    private Manifests manifests;
    private AttributeCache cache;
    private boolean away;

    @BeforeEach
    void write() {
        SortedMap<String, byte[]> objects = TestDataset.noObjects();
        objects.put("a", TestDataset.bytes(10, 1));
        objects.put("b", TestDataset.bytes(20, 2));
        TestDataset dataset =
                TestDataset.write(directory, DatasetVersion.parse("vision/digits@v1"), objects);
        ref = dataset.mount().manifest();
        files =
                new ManifestCache(
                        directory.resolve("manifests"),
                        1 << 20,
                        (_, target) -> {
                            if (away) {
                                throw new ForebayException(ErrorCode.UNAVAILABLE, "no worker");
                            }
                            try {
                                Files.copy(dataset.file().path(), target);
                            } catch (IOException e) {
                                throw new UncheckedIOException(e);
                            }
                        });
        manifests = new Manifests(files);
        cache = new AttributeCache(manifests, 100);
    }

    /** Makes every later query of the manifest fail. */
    private void takeTheManifestAway() throws IOException {
        away = true;
        manifests.forget(ref.digest());
        files.distrust(ref.digest());
        Files.delete(directory.resolve("manifests").resolve(ref.digest().hex() + ".sqlite"));
        assertThatExceptionOfType(ForebayException.class)
                .isThrownBy(() -> cache.lookup(ref, Node.ROOT_ID, "never asked for"));
    }

    @Test
    void lookupsOfListedEntriesDoNotReadTheManifest() throws IOException {
        List<Node> page = cache.readdir(ref, Node.ROOT_ID, "", 10);
        assertThat(page).extracting(Node::name).containsExactly("a", "b");

        takeTheManifestAway();

        for (Node node : page) {
            assertThat(cache.known(ref, node.id())).contains(node);
            assertThat(cache.node(ref, node.id())).contains(node);
            assertThat(cache.lookup(ref, Node.ROOT_ID, node.name())).contains(node);
        }
    }

    @Test
    void repeatedLookupsDoNotReadTheManifestAgain() throws IOException {
        Node byName = cache.lookup(ref, Node.ROOT_ID, "a").orElseThrow();
        Node byNumber = cache.node(ref, Node.ROOT_ID).orElseThrow();
        assertThat(cache.lookup(ref, Node.ROOT_ID, "missing")).isEmpty();

        takeTheManifestAway();

        assertThat(cache.lookup(ref, Node.ROOT_ID, "a")).contains(byName);
        assertThat(cache.known(ref, byName.id())).contains(byName);
        assertThat(cache.node(ref, Node.ROOT_ID)).contains(byNumber);
        assertThat(cache.known(ref, byName.id() + 1)).isEmpty();
    }
}
