package dev.forebay.membership.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.membership.Keys;
import dev.forebay.membership.rows.RegionFile;
import dev.forebay.membership.rows.RegionFileWriter;
import dev.forebay.model.RegionName;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the watch without an etcd. */
class RegionWatchTest {

    private static final long TIMEOUT_SECONDS = 30;

    /** More than the signals that fit into a watch's queue. */
    private static final int MANY = 12_000;

    private static final Keys KEYS = Keys.of(new RegionName("r1"));
    private static final EtcdConfig NOBODY =
            new EtcdConfig(
                    List.of(URI.create("http://127.0.0.1:1")),
                    Duration.ofMillis(100),
                    Duration.ofSeconds(3),
                    Duration.ofMillis(100),
                    Duration.ofMillis(20));

    @TempDir private Path directory;

    @Test
    void theWatchKeepsTryingAfterAFailedReconnect() throws Exception {
        CountDownLatch tries = new CountDownLatch(3);
        EtcdConnection connection =
                new EtcdConnection(NOBODY) {
                    @Override
                    synchronized void refresh() {
                        tries.countDown();
                        if (tries.getCount() == 2) {
                            throw new IllegalStateException("a defect");
                        }
                        throw new OutOfMemoryError("simulated");
                    }
                };
        try (connection;
                RegionWatch watch = new RegionWatch(connection, KEYS, Optional.empty())) {
            watch.start(Duration.ZERO);
            assertThat(tries.await(TIMEOUT_SECONDS, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void theWatchNotifiesAllListenersThatSubscribeDuringANotification() throws Exception {
        RegionFile seen = new RegionFile(directory.resolve("seen"), KEYS.root());
        assertThat(seen.write(Map.of())).isTrue();
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        CountDownLatch unnotified = new CountDownLatch(MANY);
        Set<Thread> tellers = ConcurrentHashMap.newKeySet();
        try (EtcdConnection connection = new EtcdConnection(NOBODY);
                RegionWatch watch =
                        new RegionWatch(
                                connection, KEYS, Optional.of(new RegionFileWriter(seen)))) {
            watch.start(Duration.ZERO);
            watch.subscribe(
                    _ -> {
                        tellers.add(Thread.currentThread());
                        begun.countDown();
                        awaitQuietly(goOn);
                    });
            assertThat(begun.await(TIMEOUT_SECONDS, TimeUnit.SECONDS)).isTrue();
            for (int i = 0; i < MANY; i++) {
                watch.subscribe(
                        _ -> {
                            tellers.add(Thread.currentThread());
                            unnotified.countDown();
                        });
            }
            goOn.countDown();
            assertThat(unnotified.await(TIMEOUT_SECONDS, TimeUnit.SECONDS))
                    .as("%d listeners were not notified", unnotified.getCount())
                    .isTrue();
        }
        assertThat(tellers).hasSize(1);
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
