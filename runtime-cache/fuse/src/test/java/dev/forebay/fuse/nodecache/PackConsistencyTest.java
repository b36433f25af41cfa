package dev.forebay.fuse.nodecache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.linux.DiskFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PackConsistencyTest {

    @TempDir private Path directory;
    private PackFile file;
    private DiskFile data;
    private PackMap map;
    private PackConsistency consistency;

    @BeforeEach
    void open() throws IOException {
        CacheCounters counters = new CacheCounters();
        file =
                PackFile.create(
                        TestPack.ID,
                        PackUnits.CHUNK,
                        directory.resolve("pack"),
                        directory.resolve("map"),
                        new CacheCapacity(1L << 30, counters),
                        counters,
                        new DamageLog(_ -> List.of()));
        data = DiskFile.open(directory.resolve("pack"));
        map = PackMap.open(directory.resolve("map"), TestPack.ID);
        consistency = new PackConsistency(data, map, file.chunks());
    }

    @AfterEach
    void close() {
        map.close();
        data.close();
        file.close();
    }

    /** Reads the mark as the next process would if this one was killed now. */
    private boolean isShutOnDisk() throws IOException {
        try (PackMap opened = PackMap.open(directory.resolve("map"), TestPack.ID)) {
            return opened.wasShut();
        }
    }

    @Test
    void aChangeRemovesTheMarkFromTheDisk() throws IOException {
        assertThat(consistency.settle()).isTrue();
        assertThat(isShutOnDisk()).isTrue();

        consistency.beginChange();

        assertThat(isShutOnDisk()).isFalse();
    }

    @Test
    void aPackIsNotSettledWhileAChangeIsUnderWay() throws IOException {
        consistency.beginChange();
        assertThat(consistency.settle()).isFalse();
        assertThat(isShutOnDisk()).isFalse();

        consistency.endChange();

        assertThat(consistency.settle()).isTrue();
        assertThat(isShutOnDisk()).isTrue();
    }
}
