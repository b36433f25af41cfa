package dev.forebay.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OtherUsersTest {
    private static final int ROOT = 0;
    private static final int ORDINARY = 1000;
    private static final Path MOUNTPOINT = Path.of("/mnt/datasets");

    @TempDir Path directory;

    @Test
    void rootLetsOthersRead() {
        assertThat(mayRead(ROOT, "")).isTrue();
    }

    @Test
    void anOrdinaryUserLetsOthersReadOnlyWhereTheConfigurationAllowsIt() {
        assertThat(mayRead(ORDINARY, "mount_max = 1000\n  user_allow_other # for training\n"))
                .isTrue();
        assertThat(mayRead(ORDINARY, "# user_allow_other\n")).isFalse();
        assertThat(mayRead(ORDINARY, "user_allow_others\n")).isFalse();
    }

    @Test
    void anOrdinaryUserWithoutAConfigurationMountsForItself() {
        assertThat(new OtherUsers(ORDINARY, directory.resolve("missing")).mayRead(MOUNTPOINT, null))
                .isFalse();
    }

    @Test
    void theOptionOverridesUserAndConfiguration() {
        OtherUsers ordinary = new OtherUsers(ORDINARY, directory.resolve("missing"));
        OtherUsers root = new OtherUsers(ROOT, directory.resolve("missing"));

        assertThat(ordinary.mayRead(MOUNTPOINT, true)).isTrue();
        assertThat(root.mayRead(MOUNTPOINT, false)).isFalse();
    }

    private boolean mayRead(int user, String configuration) {
        try {
            Path file = Files.writeString(directory.resolve("fuse.conf"), configuration);
            return new OtherUsers(user, file).mayRead(MOUNTPOINT, null);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
