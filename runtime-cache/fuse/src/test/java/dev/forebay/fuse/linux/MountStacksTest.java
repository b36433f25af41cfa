package dev.forebay.fuse.linux;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class MountStacksTest {

    /** A tree at /t with two generations on /t/d, and images on /t/d/v in both and in the tree. */
    private static final List<String> GENERATIONS =
            List.of(
                    "1 1 0:1 / / rw - rootfs none rw",
                    "22 1 8:1 / / rw - ext4 /dev/sda1 rw",
                    "40 22 0:40 / /t ro - fuse tree ro",
                    "46 45 0:51 / /t/d/v ro - erofs native ro",
                    "41 40 0:50 / /t/d/v ro - erofs oldest ro",
                    "42 40 0:40 /d /t/d ro - fuse tree ro",
                    "43 42 0:52 / /t/d/v ro - erofs older ro",
                    "44 42 0:40 /d /t/d ro - fuse tree ro",
                    "45 44 0:50 / /t/d/v ro - erofs image ro");

    private static MountStacks stacks(List<String> lines) {
        return new MountStacks(table(lines));
    }

    private static List<MountTable.Entry> table(List<String> lines) {
        return MountTable.parse((String.join("\n", lines) + "\n").getBytes(ISO_8859_1));
    }

    private static List<String> at(List<String> lines, String directory) {
        return stacks(lines).at(Path.of(directory)).stream().map(MountTable.Entry::source).toList();
    }

    @Test
    void aPathShowsTheMountsOfItsLatestGeneration() {
        assertThat(at(GENERATIONS, "/t/d/v")).containsExactly("image", "native");
        assertThat(at(GENERATIONS, "/t/d")).containsExactly("tree", "tree");
        assertThat(at(GENERATIONS, "/t")).containsExactly("tree");
        assertThat(at(GENERATIONS, "/")).containsExactly("none", "/dev/sda1");
    }

    @Test
    void aPathWithoutMountsHasNoEntries() {
        assertThat(at(GENERATIONS, "/t/d/v/x")).isEmpty();
        assertThat(at(GENERATIONS, "/u")).isEmpty();
        assertThat(at(List.of(), "/")).isEmpty();
    }

    @Test
    void aCoveredGenerationKeepsItsOwnMounts() {
        MountTable.Entry tree = stacks(GENERATIONS).at(Path.of("/t")).getFirst();
        assertThat(stacks(GENERATIONS).on(tree))
                .extracting(MountTable.Entry::source)
                .containsExactly("oldest", "tree");
        assertThat(stacks(GENERATIONS).on(tree, Path.of("/t/d/v")))
                .extracting(MountTable.Entry::source)
                .containsExactly("oldest");
    }

    /** In a container whose root is a directory, the kernel lists only the mounts below that. */
    @Test
    void theRootOfTheNamespaceMayBeMissing() {
        assertThat(at(GENERATIONS.subList(2, GENERATIONS.size()), "/t/d/v"))
                .containsExactly("image", "native");
    }
}
