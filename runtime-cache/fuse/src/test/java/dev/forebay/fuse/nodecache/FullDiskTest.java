package dev.forebay.fuse.nodecache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.fuse.CapturedLog;
import dev.forebay.linux.ErrorNumber;
import dev.forebay.linux.SystemCallException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FullDiskTest {

    private static final String SAID = "is full before --pack-cache is reached";

    @TempDir private Path directory;
    private final IOException failure = new SystemCallException("pwrite", ErrorNumber.ENOSPC);
    private final CacheCounters counters = new CacheCounters();
    private final CapturedLog err = new CapturedLog();
    private long now;

    @AfterEach
    void endListening() {
        err.close();
    }

    private FullDisk disk() {
        return new FullDisk(directory, new CacheCapacity(5L << 20, counters), counters, () -> now);
    }

    @Test
    void aFullDiskIsLoggedOnceForManyRefusals() {
        FullDisk disk = disk();
        for (int piece = 1; piece <= 100; piece++) {
            disk.refused(failure);
            now += Duration.ofMinutes(1).toNanos();
        }
        assertThat(counters.refused()).isEqualTo(100);
        assertThat(err.linesWith(SAID))
                .singleElement()
                .asString()
                .contains(directory.toString(), "0 MiB of 5 MiB are used", "Lower --pack-cache");
    }

    @Test
    void aFullDiskIsLoggedAgainAfterAWhileWithoutRefusals() {
        FullDisk disk = disk();
        disk.refused(failure);
        now += Duration.ofMinutes(11).toNanos();
        disk.refused(failure);
        assertThat(err.linesWith(SAID)).hasSize(2);
    }
}
