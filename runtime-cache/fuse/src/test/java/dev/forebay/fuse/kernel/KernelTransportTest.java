package dev.forebay.fuse.kernel;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.forebay.fuse.fs.EmptyTree;
import dev.forebay.fuse.fs.OperationMeter;
import dev.forebay.fuse.fs.UpcallGuard;
import dev.forebay.fuse.linux.MountTable;
import dev.forebay.model.ForebayException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KernelTransportTest {

    private static final String NO_MEMORY = "no memory";
    private static final String NOT_ALLOWED = "not allowed";

    @TempDir private Path directory;

    /** A mount that stayed would give every program that accesses it an error. */
    @Test
    void aStartThatRunsOutOfMemoryLeavesNoMount() throws Exception {
        Path mountpoint = Files.createDirectory(directory.resolve("mnt"));
        Process process =
                new ProcessBuilder(
                                ProcessHandle.current().info().command().orElseThrow(),
                                "--enable-native-access=ALL-UNNAMED",
                                // Less memory than one answer takes.
                                "-XX:MaxDirectMemorySize=1m",
                                "-cp",
                                System.getProperty("java.class.path"),
                                Starting.class.getName(),
                                mountpoint.toString(),
                                directory.resolve("manifests").toString())
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        String printed = new String(process.getInputStream().readAllBytes(), UTF_8).strip();
        assertThat(process.waitFor()).isZero();
        try {
            assumeTrue(!printed.equals(NOT_ALLOWED), "cannot mount here");
            assertThat(printed).isEqualTo(NO_MEMORY);
            assertThat(MountTable.read())
                    .extracting(MountTable.Entry::mountpoint)
                    .doesNotContain(mountpoint);
        } finally {
            new ProcessBuilder("umount", "-l", mountpoint.toString()).start().waitFor();
        }
    }

    /** Tries to serve a mount, and prints the outcome. */
    static final class Starting {

        private Starting() {}

        public static void main(String[] arguments) {
            try {
                KernelTransport.mount(
                        EmptyTree.in(Path.of(arguments[1])),
                        new UpcallGuard(OperationMeter.NONE),
                        Path.of(arguments[0]),
                        false);
                System.out.println("serving");
            } catch (OutOfMemoryError e) {
                System.out.println(NO_MEMORY);
            } catch (ForebayException e) {
                System.out.println(NOT_ALLOWED);
            }
            Runtime.getRuntime().halt(0);
        }
    }
}
