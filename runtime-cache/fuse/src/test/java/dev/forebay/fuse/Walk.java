package dev.forebay.fuse;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.fuse.HeldMountFixture.Running;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A {@code find} in the middle of its walk. At each of the deep files of a version it waits for a
 * line of input, on the way down and up.
 */
final class Walk {

    private static final long TIMEOUT_SECONDS = 60;
    private static final String FOUND = "found ";

    private final Running process;

    private Walk(Running process) {
        this.process = process;
    }

    /**
     * Starts a walk and waits until it is at the first deep file.
     *
     * @param start the directory where it begins
     */
    static Walk start(HeldMountFixture region, Path start) throws IOException {
        Running process =
                region.start(
                        "find",
                        List.of(
                                "find",
                                start.toString(),
                                "-path",
                                "*" + HeldMountFixture.VERSION.path() + "/deep/*",
                                "-type",
                                "f",
                                "-printf",
                                FOUND + "%P\\n",
                                "-exec",
                                "sh",
                                "-c",
                                "read line",
                                ";"));
        process.await(FOUND);
        return new Walk(process);
    }

    /** Lets it finish, and checks that it has found all files. */
    void end() throws Exception {
        try (OutputStream input = process.process().getOutputStream()) {
            input.write("\n".repeat(CheckingReader.DEEP_FILES).getBytes(US_ASCII));
        }
        assertThat(process.process().waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(process.printed().lines())
                .allMatch(line -> line.startsWith(FOUND))
                .hasSize(CheckingReader.DEEP_FILES);
        assertThat(process.process().exitValue()).isZero();
    }
}
