package dev.forebay.membership.rows;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.AbstractMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RegionFileWriterTest {

    private static final long TIMEOUT_SECONDS = 30;
    private static final Map<String, String> KEYS = Map.of("workers/w-1", "{}");

    @TempDir private Path directory;

    @Test
    void remembersTheNextViewAfterAFailedWrite() throws Exception {
        CountDownLatch failed = new CountDownLatch(1);
        Map<String, String> defect =
                new AbstractMap<>() {
                    @Override
                    public Set<Entry<String, String>> entrySet() {
                        failed.countDown();
                        throw new AssertionError("simulated");
                    }
                };
        try (RegionFileWriter memory =
                new RegionFileWriter(new RegionFile(directory.resolve("seen"), "/forebay/r1/"))) {
            memory.remember(defect);
            assertThat(failed.await(TIMEOUT_SECONDS, TimeUnit.SECONDS)).isTrue();
            memory.remember(KEYS);
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(TIMEOUT_SECONDS);
            while (memory.recall().isEmpty() && System.nanoTime() - deadline < 0) {
                Thread.sleep(10);
            }
            assertThat(memory.recall()).contains(KEYS);
        }
    }
}
