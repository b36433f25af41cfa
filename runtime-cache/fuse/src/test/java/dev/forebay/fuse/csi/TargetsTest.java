package dev.forebay.fuse.csi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.model.ForebayException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TargetsTest {

    @TempDir private Path directory;
    private Path kubelet;
    private Targets targets;

    @BeforeEach
    void makeDirectory() throws IOException {
        directory = directory.toRealPath();
        kubelet = Files.createDirectories(directory.resolve("kubelet"));
        targets = new Targets(kubelet);
    }

    @Test
    void theTargetItselfMayBeMissing() throws Exception {
        Path pod = Files.createDirectories(kubelet.resolve("pods/1"));

        assertThat(targets.existing(pod.resolve("mount"))).isEqualTo(pod.resolve("mount"));
    }

    @Test
    void targetsFollowSymbolicLinks() throws Exception {
        Path disk = Files.createDirectories(directory.resolve("disk/pods"));
        Path linked = Files.createSymbolicLink(directory.resolve("linked"), Path.of("disk"));

        assertThat(new Targets(linked).existing(linked.resolve("pods/mount")))
                .isEqualTo(disk.resolve("mount"));
    }

    @Test
    void targetsOutsideTheKubeletDirectoryAreRefused() throws Exception {
        Files.createSymbolicLink(kubelet.resolve("out"), directory);
        Path namedAlike = Files.createDirectories(directory.resolve("kubelet-2"));

        for (Path outside :
                new Path[] {
                    directory.resolve("mount"),
                    directory.resolve("none/mount"),
                    kubelet.resolve("out/mount"),
                    namedAlike.resolve("mount"),
                    Path.of("/etc")
                }) {
            assertThatThrownBy(() -> targets.find(outside))
                    .isInstanceOf(ForebayException.class)
                    .hasMessageContaining("target_path is " + outside)
                    .hasMessageContaining("must be below --kubelet-directory, " + kubelet);
        }
    }

    @Test
    void publishingRequiresTheParentOfTheTarget() throws Exception {
        Path none = kubelet.resolve("pods/gone/mount");

        assertThat(targets.find(none)).isEmpty();
        assertThatThrownBy(() -> targets.existing(none))
                .isInstanceOf(ForebayException.class)
                .hasMessageContaining("its parent directory must exist");
    }
}
