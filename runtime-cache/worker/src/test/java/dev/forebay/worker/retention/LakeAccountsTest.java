package dev.forebay.worker.retention;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.manifest.ManifestCache;
import dev.forebay.membership.Mount;
import dev.forebay.membership.RegionView;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.ManifestRef;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LakeAccountsTest {

    private static final Digest A = new Digest("a".repeat(64));
    private static final Digest B = new Digest("b".repeat(64));
    private static final DatasetVersion ONE = DatasetVersion.parse("ns/data@one");
    private static final DatasetVersion TWO = DatasetVersion.parse("ns/data@two");

    @TempDir Path directory;
    private MountedVersions versions;
    private LakeAccounts accounts;

    @BeforeEach
    void open() {
        versions =
                new MountedVersions(
                        new ManifestCache(directory.resolve("manifests"), 1, (ref, target) -> {}),
                        1);
        reopen();
    }

    @Test
    void addsUpAndSurvivesARestart() {
        mounted(mount(ONE, A, Mount.State.WARMING), mount(TWO, B, Mount.State.CACHED));
        accounts.took(A, 100);
        accounts.took(B, 7);
        accounts.took(A, 1_000_000_000_000L);

        reopen();

        assertThat(accounts.of(A)).isEqualTo(Map.of(ONE, 1_000_000_000_100L));
        assertThat(accounts.of(B)).isEqualTo(Map.of(TWO, 7L));
        accounts.took(A, 1);
        assertThat(accounts.of(A)).isEqualTo(Map.of(ONE, 1_000_000_000_101L));
    }

    @Test
    void oneOfSeveralVersionsWithAManifestPays() {
        mounted(mount(ONE, A, Mount.State.CACHED), mount(TWO, A, Mount.State.WARMING));
        accounts.took(A, 10);
        assertThat(accounts.of(A)).isEqualTo(Map.of(ONE, 0L, TWO, 10L));

        mounted(mount(ONE, A, Mount.State.CACHED), mount(TWO, A, Mount.State.CACHED));
        accounts.took(A, 5);

        assertThat(accounts.of(A)).isEqualTo(Map.of(ONE, 5L, TWO, 10L));
    }

    @Test
    void anAccountEndsWithItsMount() throws Exception {
        mounted(mount(ONE, A, Mount.State.CACHED), mount(TWO, B, Mount.State.CACHED));
        accounts.took(A, 10);
        accounts.took(B, 20);

        mounted(mount(TWO, B, Mount.State.CACHED));
        accounts.took(A, 1);
        mounted(mount(ONE, A, Mount.State.WARMING), mount(TWO, B, Mount.State.CACHED));

        assertThat(accounts.of(A)).isEqualTo(Map.of(ONE, 0L));
        assertThat(accounts.of(B)).isEqualTo(Map.of(TWO, 20L));
        accounts.close(TWO);
        assertThat(accounts.of(B)).isEqualTo(Map.of(TWO, 0L));
        try (var files = Files.list(directory.resolve("accounts"))) {
            assertThat(files).isEmpty();
        }
    }

    @Test
    void whatWasUnmountedWhileTheProcessWasDownIsClosedAtTheFirstLook() {
        mounted(mount(ONE, A, Mount.State.CACHED));
        accounts.took(A, 10);
        reopen();
        mounted();
        mounted(mount(ONE, A, Mount.State.WARMING));

        assertThat(accounts.of(A)).isEqualTo(Map.of(ONE, 0L));
    }

    @Test
    void aFileThatIsNoAccountIsRemoved() throws Exception {
        Path rubbish = directory.resolve("accounts").resolve("rubbish");
        for (String text : List.of("", "x", "12 ", "12x ns/data@one", "12 Ns/data@one")) {
            Files.writeString(rubbish, text);
            reopen();
            assertThat(rubbish).as(text).doesNotExist();
        }
    }

    @Test
    void theLongestNamesHaveAFile() {
        DatasetVersion longest = DatasetVersion.of("n".repeat(63), "d".repeat(63), "v".repeat(127));
        mounted(mount(longest, A, Mount.State.WARMING));
        accounts.took(A, 3);
        reopen();
        assertThat(accounts.of(A)).isEqualTo(Map.of(longest, 3L));
    }

    private void reopen() {
        accounts = LakeAccounts.open(directory.resolve("accounts"), versions);
    }

    private void mounted(Mount... mounts) {
        RegionView view = new RegionView(List.of(), Set.of(), List.of(mounts), List.of());
        versions.update(view);
        accounts.update(view);
    }

    private static Mount mount(DatasetVersion version, Digest digest, Mount.State state) {
        return new Mount(version, new ManifestRef("s3://b/k", digest, 1, 1, 1), state);
    }
}
