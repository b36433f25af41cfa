package dev.forebay.agent.capacity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.agent.workers.WrittenManifests;
import dev.forebay.manifest.cache.ManifestCache;
import dev.forebay.model.ChunkId;
import dev.forebay.model.ManifestRef;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VersionFamiliesTest {

    private static final long CHUNK = ChunkId.CHUNK_BYTES;

    private final WrittenManifests manifests;

    VersionFamiliesTest(@TempDir Path directory) {
        manifests = new WrittenManifests(directory);
    }

    @Test
    void versionsThatShareAPackDirectlyOrThroughOthersFormAFamily() {
        ManifestRef v1 = manifests.write("v1", null, "a", CHUNK);
        ManifestRef v2 = manifests.write("v2", v1, "a", CHUNK, "b", CHUNK);
        ManifestRef v3 = manifests.write("v3", v2, "b", CHUNK, "c", CHUNK);
        ManifestRef other = manifests.write("other", null, "x", CHUNK);
        VersionFamilies families = new VersionFamilies(manifests.cache());

        assertThat(families.of(Set.of(v1, v3, other)))
                .containsExactlyInAnyOrder(Set.of(v1), Set.of(v3), Set.of(other));
        assertThat(families.of(Set.of(v1, v2, v3, other)))
                .containsExactlyInAnyOrder(Set.of(v1, v2, v3), Set.of(other));
        assertThat(families.of(Set.of())).isEmpty();
    }

    @Test
    void aSingleVersionNeedsNoManifest() {
        ManifestRef v1 = manifests.write("v1", null, "a", CHUNK);
        manifests.lose(v1);

        assertThat(new VersionFamilies(manifests.cache()).of(Set.of(v1)))
                .containsExactly(Set.of(v1));
    }

    @Test
    void aManifestIsReadOnce() {
        ManifestRef v1 = manifests.write("v1", null, "a", CHUNK);
        ManifestRef v2 = manifests.write("v2", v1, "a", CHUNK, "b", CHUNK);
        ManifestCache cache = manifests.cache();
        VersionFamilies families = new VersionFamilies(cache);
        families.of(Set.of(v1, v2));
        manifests.lose(v1);
        cache.distrust(v1.digest());

        assertThat(families.of(Set.of(v1, v2))).containsExactly(Set.of(v1, v2));
    }

    @Test
    void anUnreadableManifestIsReadAgainLater() {
        ManifestRef v1 = manifests.write("v1", null, "a", CHUNK);
        ManifestRef v2 = manifests.write("v2", v1, "a", CHUNK, "b", CHUNK);
        VersionFamilies families = new VersionFamilies(manifests.cache());

        manifests.lose(v1);
        assertThat(families.of(Set.of(v1, v2))).containsExactlyInAnyOrder(Set.of(v1), Set.of(v2));
        assertThat(manifests.write("again", null, "a", CHUNK)).isEqualTo(v1);
        assertThat(families.of(Set.of(v1, v2))).containsExactly(Set.of(v1, v2));
    }
}
