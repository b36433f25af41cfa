package dev.forebay.fuse.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.linux.SystemCallException;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks on plain directories what processes see below a directory that changes. */
@SuppressWarnings("NullAway.Init") // mounted before each
class MountGenerationsIT {

    @TempDir private Path directory;
    private Path tree;
    private Path folder;
    private Path version;
    private final List<Process> shells = new ArrayList<>();

    @BeforeEach
    void mount() throws Exception {
        tree = Files.createDirectory(directory.toRealPath().resolve("tree"));
        MountCalls.mount("tree", tree, "tmpfs", 0, "");
        folder = tree.resolve("ns/name");
        version = folder.resolve("v1");
        Files.createDirectories(version.resolve("a/b"));
        Files.createFile(version.resolve("a/plain"));
    }

    @AfterEach
    void unmount() throws Exception {
        for (Process shell : shells) {
            shell.destroyForcibly().waitFor();
        }
        MountCalls.detach(tree);
    }

    /** Makes the version's folder show a directory with one name in it. */
    private void show(String name) throws Exception {
        Path shown = directory.resolve(name);
        Files.createDirectories(shown.resolve("a/b"));
        Files.createFile(shown.resolve("a").resolve(name));
        try (DetachedMount image = DetachedMount.copyOfAll(shown)) {
            MountGenerations.add(
                    tree,
                    folder,
                    () -> {
                        MountCalls.detach(version);
                        image.attachHere(version);
                    });
        }
    }

    private List<String> names() throws IOException {
        try (Stream<Path> names = Files.list(version.resolve("a"))) {
            return names.map(name -> name.getFileName().toString()).sorted().toList();
        }
    }

    private long mountsAt(Path path) throws IOException {
        return MountTable.read().stream().filter(mount -> mount.mountpoint().equals(path)).count();
    }

    /** A shell in the version, which runs commands. */
    private final class Shell {
        private final BufferedWriter input;
        private final BufferedReader output;

        Shell(String... wrapper) throws IOException {
            List<String> command = new ArrayList<>(List.of(wrapper));
            command.add("sh");
            Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            shells.add(process);
            input = process.outputWriter();
            output = process.inputReader();
            assertThat(run("cd " + version.resolve("a"))).isEmpty();
        }

        List<String> run(String command) throws IOException {
            input.write(command + "\necho done\n");
            input.flush();
            List<String> lines = new ArrayList<>();
            for (String line = output.readLine(); !"done".equals(line); line = output.readLine()) {
                assertThat(line).as("%s printed %s", command, lines).isNotNull();
                lines.add(line);
            }
            return lines;
        }

        void assertIsAmong(String name) throws IOException {
            assertThat(run("pwd -P")).containsExactly(version.resolve("a").toString());
            assertThat(run("ls")).containsExactly("b", name);
            assertThat(run("ls ..")).containsExactly("a");
            assertThat(run("ls ../..")).containsExactly("v1");
            assertThat(run("cd -P b && cd -P .. && ls && cd -P ../a && ls"))
                    .containsExactly("b", name, "b", name);
        }

        void leave() throws IOException {
            assertThat(run("cd /")).isEmpty();
        }
    }

    @Test
    void processesKeepTheirGenerationAndNewOnesSeeTheLatest() throws Exception {
        Shell first = new Shell();
        show("one");
        Shell second = new Shell();
        Shell inContainer = new Shell("unshare", "--mount", "--propagation", "slave");
        show("two");

        assertThat(names()).containsExactly("b", "two");
        first.assertIsAmong("plain");
        second.assertIsAmong("one");
        inContainer.assertIsAmong("one");
        new Shell().assertIsAmong("two");
        assertThat(inContainer.run("ls " + version.resolve("a"))).containsExactly("b", "two");
    }

    @Test
    void removeUnusedRemovesGenerationsWithoutUsers() throws Exception {
        show("one");
        Shell here = new Shell();
        Shell inContainer = new Shell("unshare", "--mount", "--propagation", "slave");
        show("two");
        List<List<Path>> covered = List.of(List.of(version), List.of());
        MountGenerations.removeUnused(tree, folder, covered);
        assertThat(mountsAt(version)).isEqualTo(2);
        here.leave();
        MountGenerations.removeUnused(tree, folder, covered);
        assertThat(mountsAt(version)).as("used in a container").isEqualTo(2);
        inContainer.assertIsAmong("one");
        inContainer.leave();

        // The mount above it is in use.
        Shell above = new Shell();
        MountGenerations.removeUnused(tree, folder, covered);
        assertThat(mountsAt(version)).isEqualTo(1);
        assertThat(mountsAt(folder)).isEqualTo(1);
        above.assertIsAmong("two");
        assertThat(inContainer.run("grep -c ' %s ' /proc/self/mountinfo".formatted(version)))
                .containsExactly("1");
    }

    @Test
    void removeUnusedRemovesAnUnusedGenerationAboveUsedOnes() throws Exception {
        Shell oldest = new Shell();
        show("one");
        Shell early = new Shell();
        show("two");
        Shell late = new Shell();
        show("three");
        MountGenerations.removeUnused(
                tree, folder, List.of(List.of(version), List.of(version), List.of()));
        assertThat(mountsAt(version)).isEqualTo(3);
        late.leave();
        MountGenerations.removeUnused(
                tree, folder, List.of(List.of(version), List.of(version), List.of()));
        assertThat(mountsAt(version)).isEqualTo(2);
        oldest.assertIsAmong("plain");
        early.assertIsAmong("one");
        assertThat(names()).containsExactly("b", "three");
        early.leave();
        MountGenerations.removeUnused(tree, folder, List.of(List.of(version), List.of()));
        assertThat(mountsAt(version)).isEqualTo(1);
        assertThat(names()).containsExactly("b", "three");
    }

    @Test
    void aFailedChangeChangesNothing() throws Exception {
        show("one");
        assertThatThrownBy(
                        () ->
                                MountGenerations.add(
                                        tree,
                                        folder,
                                        () -> {
                                            MountCalls.detach(version);
                                            throw new SystemCallException("simulated", 5);
                                        }))
                .isInstanceOf(SystemCallException.class);
        assertThat(names()).containsExactly("b", "one");
        assertThat(mountsAt(folder)).isEqualTo(1);
    }
}
