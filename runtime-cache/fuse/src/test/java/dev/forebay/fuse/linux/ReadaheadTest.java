package dev.forebay.fuse.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReadaheadTest {

    private static final FileTime LONG_AGO = FileTime.from(Instant.EPOCH);

    @TempDir private Path directory;
    private Path file;
    private long failures;

    @BeforeEach
    void begin() {
        file = directory.resolve("read_ahead_kb");
        failures = Readahead.failures();
    }

    @Test
    void raisesALowValue() throws IOException {
        Files.writeString(file, "128\n");

        Readahead.set(file);

        assertThat(file).hasContent("1024");
        assertThat(Readahead.failures()).isEqualTo(failures);
    }

    /** A holder may have raised the value, and /sys may be read-only here. */
    @Test
    void doesNotWriteARaisedValue() throws IOException {
        Files.writeString(file, "1024\n");
        Files.setLastModifiedTime(file, LONG_AGO);

        Readahead.set(file);

        assertThat(Files.getLastModifiedTime(file)).isEqualTo(LONG_AGO);
        assertThat(Readahead.failures()).isEqualTo(failures);
    }

    @Test
    void countsAFailure() {
        Readahead.set(file);

        assertThat(Readahead.failures()).isEqualTo(failures + 1);
        assertThat(Readahead.firstFailure().orElseThrow())
                .startsWith("Read-ahead stays at 128 KiB")
                .contains("/sys writable");
    }
}
