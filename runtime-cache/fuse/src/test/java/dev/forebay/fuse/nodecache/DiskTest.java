package dev.forebay.fuse.nodecache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.linux.SystemCallException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DiskTest {

    private final Disk disk = new Disk(new CacheCounters());

    @ParameterizedTest
    @CsvSource({
        "5, false", // EIO
        "24, true", // EMFILE
        "27, true", // EFBIG: one pack is too long for the file system, and the others are not
        "28, true" // ENOSPC
    })
    void onlyADiskThatFailsIsLeftAlone(int error, boolean usable) {
        disk.failed(new SystemCallException("ftruncate", error));
        assertThat(disk.isUsable()).isEqualTo(usable);
    }
}
