package dev.forebay.devstack.mount;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Needs the right to mount. */
class MountsTest {

    @TempDir private Path directory;

    private static boolean mount(Path mountpoint) throws IOException, InterruptedException {
        Files.createDirectories(mountpoint);
        return new ProcessBuilder("mount", "-t", "tmpfs", "none", mountpoint.toString())
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start()
                        .waitFor()
                == 0;
    }

    @Test
    void detachRemovesAMountAndTheMountsBelowIt() throws Exception {
        Path tree = directory.resolve("tree");
        Path image = tree.resolve("a/b");
        assumeTrue(mount(tree), "cannot mount here");
        assertThat(mount(image)).isTrue();

        assertThat(Mounts.below(directory)).containsExactly(tree, image);
        Mounts.detach(Mounts.below(directory).getFirst());

        assertThat(Mounts.below(directory)).isEmpty();
        assertThat(tree).isEmptyDirectory();
    }
}
