package dev.forebay.manifest.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.manifest.ManifestFile;
import dev.forebay.manifest.Node;
import dev.forebay.manifest.Pack;
import dev.forebay.manifest.write.Listings;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ScanTest {

    @TempDir Path directory;

    @Test
    void scansReturnTheSameAsLookups() {
        long seed = System.nanoTime();
        var listing = Listings.random(new Random(seed), "p/", 2000);
        ManifestFile file =
                Listings.write(directory.resolve("m"), "p/", listing.values(), 64 << 20, null);
        try (SqliteManifest manifest = SqliteManifest.open(file.path())) {
            List<String> entries = new ArrayList<>();
            try (NodeScan nodes = NodeScan.of(file.path())) {
                long last = 0;
                while (nodes.next()) {
                    assertThat(nodes.id()).as("seed %d", seed).isGreaterThan(last);
                    assertThat(nodes.parent()).as("seed %d", seed).isLessThan(nodes.id());
                    last = nodes.id();
                    Node node = manifest.node(nodes.id()).orElseThrow();
                    assertSame(manifest.packs(), nodes, node);
                    if (node instanceof Node.Directory) {
                        manifest.readdir(node.id(), "", Integer.MAX_VALUE)
                                .forEach(
                                        child ->
                                                entries.add(
                                                        node.id()
                                                                + "/"
                                                                + child.name()
                                                                + "/"
                                                                + child.id()));
                    }
                }
            }
            try (EntryScan names = EntryScan.of(file.path())) {
                List<String> scanned = new ArrayList<>();
                while (names.next()) {
                    scanned.add(
                            names.parent()
                                    + "/"
                                    + new String(names.name(), StandardCharsets.UTF_8)
                                    + "/"
                                    + names.id());
                }
                assertThat(scanned).as("seed %d", seed).isEqualTo(entries);
            }
        }
    }

    private static void assertSame(List<Pack> packs, NodeScan scan, Node node) {
        assertThat(scan.mtimeNanos()).isEqualTo(node.mtimeNanos());
        assertThat(scan.isDirectory()).isEqualTo(node instanceof Node.Directory);
        if (node instanceof Node.File file) {
            assertThat(scan.size()).isEqualTo(file.size());
            assertThat(new String(scan.key(), StandardCharsets.UTF_8)).isEqualTo(file.key());
            assertThat(new String(scan.etag(), StandardCharsets.UTF_8)).isEqualTo(file.etag());
            assertThat(scan.versionId()).isNull();
            if (file.size() > 0) {
                assertThat(packs.get(scan.pack()).id()).isEqualTo(file.pack());
                assertThat(scan.packOffset()).isEqualTo(file.packOffset());
            }
        }
    }
}
