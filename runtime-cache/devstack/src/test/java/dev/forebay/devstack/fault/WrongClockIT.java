package dev.forebay.devstack.fault;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs a real JVM with libfaketime, which must change its time of day but no wait. */
class WrongClockIT {

    private static final Duration WAIT = Duration.ofMillis(500);

    /** The tolerance, because waits are rounded. */
    private static final Duration EARLY = Duration.ofMillis(20);

    /** A thread may wake spuriously. A thread that does not sleep at all wakes much more often. */
    private static final long MOST_WAKES = 100;

    /** Prints the time of day, and the durations of waits that time out, in milliseconds. */
    static final class Teller {
        public static void main(String[] arguments) throws InterruptedException {
            long begun = System.nanoTime();
            if (new CountDownLatch(1).await(WAIT.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new IllegalStateException("counted down by nobody");
            }
            long half = System.nanoTime();
            Instant then = Instant.now().plus(WAIT);
            int wakes = 0;
            while (Instant.now().isBefore(then)) {
                LockSupport.parkUntil(then.toEpochMilli());
                wakes++;
            }
            long end = System.nanoTime();
            System.out.printf(
                    "%d %d %d %d",
                    System.currentTimeMillis(),
                    Duration.ofNanos(half - begun).toMillis(),
                    Duration.ofNanos(end - half).toMillis(),
                    wakes);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {60, -60})
    void aWrongClockChangesTheTimeOfDayButNoWait(long seconds) throws Exception {
        List<String> command = new ArrayList<>(WrongClock.ahead(Duration.ofSeconds(seconds)));
        command.add(ProcessHandle.current().info().command().orElseThrow());
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        command.add(Teller.class.getName());
        Instant before = Instant.now();
        Process teller =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        try {
            assertThat(teller.waitFor(1, TimeUnit.MINUTES)).as("it ends by itself").isTrue();
            Instant after = Instant.now();
            String printed =
                    new String(teller.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

            long[] told =
                    Arrays.stream(printed.split(" ", -1)).mapToLong(Long::parseLong).toArray();
            assertThat(Instant.ofEpochMilli(told[0]))
                    .isBetween(before.plusSeconds(seconds), after.plusSeconds(seconds));
            long least = WAIT.minus(EARLY).toMillis();
            long most = Duration.between(before, after).toMillis();
            assertThat(told[1]).as("a wait for some time").isBetween(least, most);
            assertThat(told[2]).as("a wait until some time of day").isBetween(least, most);
            assertThat(told[3]).as("wakes").isLessThan(MOST_WAKES);
            assertThat(sharedMemory(teller.pid())).as("left in /dev/shm").isEmpty();
        } finally {
            teller.destroyForcibly().waitFor();
        }
    }

    private static List<Path> sharedMemory(long pid) throws Exception {
        try (Stream<Path> files = Files.list(Path.of("/dev/shm"))) {
            return files.filter(file -> file.getFileName().toString().endsWith("_" + pid)).toList();
        }
    }
}
