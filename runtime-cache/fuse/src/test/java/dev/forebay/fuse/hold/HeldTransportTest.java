package dev.forebay.fuse.hold;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.fuse.fs.EmptyTree;
import dev.forebay.fuse.fs.OperationMeter;
import dev.forebay.fuse.fs.UpcallGuard;
import dev.forebay.fuse.linux.UnixSocket;
import dev.forebay.linux.Descriptor;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HeldTransportTest {

    private static final String MOUNT = " id 45 0 1048576 /mnt";

    @TempDir private Path directory;

    /** Joins as a server that is never ordered to serve. */
    private HeldTransport join() {
        return HeldTransport.join(
                EmptyTree.in(directory.resolve("manifests")),
                new UpcallGuard(OperationMeter.NONE),
                directory,
                () -> {});
    }

    @Test
    void theTransportClosesDescriptorsThatItDoesNotNeed() throws Exception {
        Path unwanted = Files.createFile(directory.resolve("unwanted"));
        Path wanted = Files.createFile(directory.resolve("wanted"));
        try (UnixSocket holder = UnixSocket.listen(Holder.socket(directory));
                ExecutorService threads = Executors.newSingleThreadExecutor()) {
            Future<HeldTransport> joining = threads.submit(this::join);
            try (UnixSocket server = holder.accept().orElseThrow()) {
                pass(server, HolderMessage.PONG + MOUNT, unwanted);
                pass(server, HolderMessage.PONG.name(), unwanted);
                pass(server, "NONSENSE" + MOUNT, unwanted);
                pass(server, HolderMessage.MOUNT + MOUNT, wanted);
                try (HeldTransport joined = joining.get(30, TimeUnit.SECONDS)) {
                    // The earlier message was handled before this one.
                    assertThat(openHere(wanted)).isEqualTo(1);
                    assertThat(openHere(unwanted)).isZero();
                    server.send(HolderMessage.END.name(), List.of());
                    assertThat(joined.awaitEnd()).isZero();
                }
            }
        }
    }

    private static void pass(UnixSocket server, String text, Path file) throws IOException {
        try (Descriptor passed = Descriptor.open(file, Descriptor.O_RDONLY)) {
            server.send(text, List.of(passed));
        }
    }

    /** Returns how many descriptors of this process are open files of this path. */
    private static long openHere(Path file) throws IOException {
        long count = 0;
        try (DirectoryStream<Path> descriptors =
                Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (Path descriptor : descriptors) {
                try {
                    if (Files.readSymbolicLink(descriptor).equals(file)) {
                        count++;
                    }
                } catch (NoSuchFileException closedMeanwhile) {
                    // The descriptor was not one of this file.
                }
            }
        }
        return count;
    }
}
