package dev.forebay.fuse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.model.ForebayException;
import java.io.Closeable;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PodDirectoryTest {

    @TempDir private Path directory;

    @Test
    void aReleasedDirectoryCanBeLockedAgain() throws Exception {
        PodDirectory.lock("--directory", directory).close();
        try (Closeable again = PodDirectory.lock("--directory", directory)) {
            assertThat(again).isNotNull();
        }
    }

    /** An example is {@code --directory X/packs --cache-directory X}. */
    @Test
    void twoOptionsCannotNameTheSameDirectory() throws Exception {
        try (Closeable _ = PodDirectory.lock("--directory", directory)) {
            assertThatThrownBy(() -> PodDirectory.lock("--cache-directory", directory))
                    .isInstanceOf(ForebayException.class)
                    .hasMessage(
                            "--cache-directory: this process uses %s already for another option",
                            directory);
        }
    }
}
