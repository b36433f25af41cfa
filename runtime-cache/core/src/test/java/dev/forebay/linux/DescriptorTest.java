package dev.forebay.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DescriptorTest {

    /** If a descriptor stays open, the process at its other end waits forever. */
    @Test
    void closeWorksWhenDirectMemoryIsExhausted() throws Exception {
        assertThat(ChildProcess.with(List.of("-XX:MaxDirectMemorySize=1m"), Closing.class))
                .isEqualTo("closed");
    }

    /** Closes a descriptor when no memory for system calls is left, and prints its state. */
    static final class Closing {

        private static final int[] SIZES = {1 << 16, 1 << 8, 1};
        private static final List<ByteBuffer> TAKEN = new ArrayList<>();

        private Closing() {}

        public static void main(String[] arguments) throws IOException {
            Descriptor descriptor = Descriptor.open(Path.of("/dev/null"), Descriptor.O_RDONLY);
            for (int size : SIZES) {
                try {
                    while (true) {
                        TAKEN.add(ByteBuffer.allocateDirect(size));
                    }
                } catch (OutOfMemoryError full) {
                    // No memory of this size is left.
                }
            }
            descriptor.close();
            Path entry = Path.of("/proc/self/fd/" + descriptor.number());
            System.out.print(Files.exists(entry) ? "open" : "closed");
        }
    }
}
