package dev.forebay.fuse.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.fuse.fs.OpenDirectory;
import org.junit.jupiter.api.Test;

class RememberedDirectoriesTest {

    private static final OpenDirectory EMPTY = (_, _) -> {};

    private final RememberedDirectories directories = new RememberedDirectories();

    @Test
    void theLeastRecentlyUsedDirectoryIsForgottenFirst() {
        for (long handle = 0; handle < RememberedDirectories.DIRECTORIES; handle++) {
            directories.put(handle, EMPTY);
        }
        assertThat(directories.get(0)).isNotNull();
        directories.put(-1, EMPTY);
        assertThat(directories.get(0)).isNotNull();
        assertThat(directories.get(1)).isNull();
        assertThat(directories.get(2)).isNotNull();
        assertThat(directories.get(-1)).isNotNull();
    }

    @Test
    void aClosedDirectoryMakesSpaceForAnother() {
        for (long handle = 0; handle < RememberedDirectories.DIRECTORIES; handle++) {
            directories.put(handle, EMPTY);
        }
        directories.remove(1);
        directories.put(-1, EMPTY);
        assertThat(directories.get(1)).isNull();
        assertThat(directories.get(0)).isNotNull();
    }
}
