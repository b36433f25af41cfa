package dev.forebay.fuse.nodecache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.linux.SystemCallException;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DiskTest {

    private final CacheCounters counters = new CacheCounters();
    private final Disk disk =
            new Disk(
                    counters,
                    new FullDisk(
                            Path.of("."),
                            new CacheCapacity(0, counters),
                            counters,
                            System::nanoTime));

    @ParameterizedTest
    @CsvSource({
        "5, false", // EIO
        "24, true", // EMFILE
        "27, true", // EFBIG: one pack is too long for the file system, and the others are not
        "28, true" // ENOSPC
    })
    void onlyDiskErrorsMakeTheDiskUnusable(int error, boolean usable) {
        disk.failed(new SystemCallException("ftruncate", error));
        assertThat(disk.isUsable()).isEqualTo(usable);
    }

    @ParameterizedTest
    @ValueSource(ints = {23, 24}) // ENFILE, EMFILE
    void tooManyOpenFilesDoNotCountAsAFullDisk(int error) {
        disk.failed(new SystemCallException("open", error));
        assertThat(counters.outOfDescriptors()).isEqualTo(1);
        assertThat(counters.refused()).isZero();
        assertThat(counters.diskErrors()).isZero();
    }
}
