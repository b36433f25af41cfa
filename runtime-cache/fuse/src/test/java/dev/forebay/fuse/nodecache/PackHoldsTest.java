package dev.forebay.fuse.nodecache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.linux.DiskFile;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PackHoldsTest {

    @TempDir private Path directory;

    @Test
    void aPackCountsAsOpenIfAReaderHasItOrTheCheckFails() throws Exception {
        Path path = directory.resolve("pack");
        PackHolds holds;
        try (DiskFile file = DiskFile.create(path);
                PackMap map =
                        PackMap.create(directory.resolve("map"), TestPack.ID, PackUnits.PAGE)) {
            DamageMark foundWrong = new DamageMark(map);
            holds = new PackHolds(file, foundWrong);
            assertThat(holds.isOpen()).isFalse();
            assertThat(holds.loseIfUnused()).isTrue();
            try (InputStream _ = Files.newInputStream(path)) {
                assertThat(new PackHolds(file, foundWrong).loseIfUnused()).isFalse();
            }
        }
        // The check fails, as it does when memory is short.
        assertThat(holds.isOpen()).isTrue();
        assertThat(holds.loseIfUnused()).isFalse();
    }

    /** Two threads that evict chunks of a pack at once also check at once. */
    @Test
    void concurrentChecksDoNotCountAsReaders() throws Exception {
        try (DiskFile file = DiskFile.create(directory.resolve("pack"));
                ExecutorService threads = Executors.newFixedThreadPool(2)) {
            Callable<Integer> asking =
                    () -> {
                        int open = 0;
                        for (int i = 0; i < 20_000; i++) {
                            open += file.isOpenElsewhere() ? 1 : 0;
                        }
                        return open;
                    };
            for (Future<Integer> open : threads.invokeAll(List.of(asking, asking))) {
                assertThat(open.get()).isZero();
            }
        }
    }
}
