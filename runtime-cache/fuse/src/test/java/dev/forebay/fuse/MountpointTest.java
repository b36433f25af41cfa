package dev.forebay.fuse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.model.ForebayException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MountpointTest {

    @TempDir private Path directory;

    @Test
    void makesWhatIsNotThere() {
        Path mountpoint = directory.resolve("mnt");

        Mountpoint.make(mountpoint);

        assertThat(mountpoint).isEmptyDirectory();
        assertThat(Mountpoint.prepare(mountpoint)).isEqualTo(mountpoint);
    }

    @Test
    void leavesWhatIsThere() throws Exception {
        Path file = Files.writeString(directory.resolve("something"), "of somebody");

        Mountpoint.make(directory);

        assertThat(file).hasContent("of somebody");
    }

    /** A disk that is not mounted, or a name that was mistyped. */
    @Test
    void doesNotMakeWhatIsAboveIt() {
        assertThatThrownBy(() -> Mountpoint.make(directory.resolve("mistyped/mnt")))
                .isInstanceOf(ForebayException.class)
                .hasMessageContaining("mistyped")
                .hasMessageContaining("cannot be made");
    }
}
