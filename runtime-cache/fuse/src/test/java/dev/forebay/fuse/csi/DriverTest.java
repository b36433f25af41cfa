package dev.forebay.fuse.csi;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DriverTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    @TempDir Path directory;

    private Driver start() {
        return Driver.start(
                new DriverConfig(
                        directory.resolve("csi.sock"),
                        directory.resolve("tree"),
                        directory.resolve("targets"),
                        "node-1",
                        "1",
                        TIMEOUT,
                        TIMEOUT,
                        TIMEOUT,
                        2,
                        Duration.ofSeconds(1)));
    }

    /** Probes continue while the driver ends. */
    @Test
    void aClosedDriverDoesNotAnswerProbes() {
        Driver driver = start();
        try {
            assertThat(driver.answers(TIMEOUT)).isTrue();
        } finally {
            driver.close();
        }
        assertThat(driver.answers(TIMEOUT)).isFalse();
    }

    @Test
    void probesDoNotFailWhileTheDriverCloses() throws InterruptedException {
        for (int round = 0; round < 20; round++) {
            Driver driver = start();
            assertThat(driver.answers(TIMEOUT)).isTrue();
            Thread closing = Thread.ofPlatform().start(driver::close);
            while (closing.isAlive()) {
                // The answer may be either one; it must only not throw.
                boolean _ = driver.answers(TIMEOUT);
            }
            closing.join();
        }
    }
}
