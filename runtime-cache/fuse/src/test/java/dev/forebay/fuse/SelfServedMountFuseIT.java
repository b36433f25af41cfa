package dev.forebay.fuse;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.devstack.server.ChildProcess;
import dev.forebay.fuse.fs.Attributes;
import dev.forebay.fuse.fs.Errno;
import dev.forebay.fuse.fs.FileSystemView;
import dev.forebay.fuse.fs.FsException;
import dev.forebay.fuse.fs.OpenDirectory;
import dev.forebay.fuse.fs.OpenFile;
import dev.forebay.fuse.fs.OperationMeter;
import dev.forebay.fuse.fs.Statistics;
import dev.forebay.fuse.fs.UpcallGuard;
import dev.forebay.fuse.kernel.KernelTransport;
import dev.forebay.fuse.linux.IsolatedThread;
import dev.forebay.fuse.linux.MountCalls;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process can be killed while the kernel waits for its answer to its own call. */
class SelfServedMountFuseIT {

    private static final long TIMEOUT_SECONDS = 30;

    @Test
    void aProcessThatWaitsForItsOwnAnswerCanBeKilled(@TempDir Path directory) throws Exception {
        Path mountpoint = Files.createDirectory(directory.resolve("mnt"));
        Process process =
                ChildProcess.start(
                        new ProcessBuilder(
                                        ProcessHandle.current().info().command().orElseThrow(),
                                        "--enable-native-access=ALL-UNNAMED",
                                        "-cp",
                                        System.getProperty("java.class.path"),
                                        Asking.class.getName(),
                                        mountpoint.toString())
                                .redirectError(ProcessBuilder.Redirect.INHERIT));
        try (BufferedReader printed =
                new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))) {
            String line = printed.readLine();
            while (line != null && !line.equals(Asking.ASKED)) {
                line = printed.readLine();
            }
            assertThat(line).isEqualTo(Asking.ASKED);

            process.destroyForcibly();

            assertThat(process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)).isTrue();
        } finally {
            // Forced, which ends requests: otherwise the process would stay if the test fails.
            new ProcessBuilder("umount", "-f", mountpoint.toString()).start().waitFor();
            new ProcessBuilder("umount", "-l", mountpoint.toString()).start().waitFor();
        }
    }

    /** Serves a mount without ever answering, and makes a call that needs an answer. */
    static final class Asking {

        static final String ASKED = "asked";

        private Asking() {}

        public static void main(String[] arguments) throws Exception {
            Path mountpoint = Path.of(arguments[0]);
            KernelTransport _ =
                    KernelTransport.mount(
                            new Silent(), new UpcallGuard(OperationMeter.NONE), mountpoint, false);
            IsolatedThread.run(() -> MountCalls.detach(mountpoint.resolve("version")));
        }
    }

    private static final class Silent implements FileSystemView {

        @Override
        public Attributes lookup(long parent, String name) {
            System.out.println(Asking.ASKED);
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            throw new FsException(Errno.ENOENT, name);
        }

        @Override
        public Attributes getattr(long inode) {
            return new Attributes(ROOT, true, 0, 0);
        }

        @Override
        public OpenDirectory opendir(long inode) {
            return (_, _) -> {};
        }

        @Override
        public OpenFile open(long inode) {
            throw new FsException(Errno.EISDIR, "the root");
        }

        @Override
        public List<String> listxattr(long inode) {
            return List.of();
        }

        @Override
        public byte[] getxattr(long inode, String name) {
            throw new FsException(Errno.ENODATA, name);
        }

        @Override
        public Statistics statfs() {
            return new Statistics(0, 0);
        }

        @Override
        public boolean isLasting(long inode) {
            return true;
        }

        @Override
        public String describe(long inode) {
            return "the root";
        }
    }
}
