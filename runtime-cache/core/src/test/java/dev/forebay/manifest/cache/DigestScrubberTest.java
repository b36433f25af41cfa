package dev.forebay.manifest.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.manifest.Digests;
import dev.forebay.model.Digest;
import dev.forebay.thread.ScrubLoop;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DigestScrubberTest {

    private static final long FAST = 1L << 40;

    @TempDir private Path directory;

    private final Map<Digest, Path> files = new ConcurrentHashMap<>();
    private final BlockingQueue<Digest> damaged = new LinkedBlockingQueue<>();

    private Digest add(String name, byte[] content) throws Exception {
        Path file = Files.write(directory.resolve(name), content);
        Digest digest = Digests.of(file);
        files.put(digest, file);
        return digest;
    }

    private void round() {
        round(damaged::add);
    }

    private void round(Consumer<Digest> listener) {
        try (ScrubLoop<?> scrubber =
                DigestScrubber.start("test", () -> files, listener, FAST, Duration.ofHours(1))) {
            assertThat(scrubber.round()).isTrue();
        }
    }

    @Test
    void aRoundReportsOnlyTheFileWithAFlippedBit() throws Exception {
        byte[] large = new byte[(2 << 20) + 1];
        Digest first = add("first", large);
        Digest _ = add("second", new byte[] {1});
        Digest _ = add("empty", new byte[0]);
        round();
        assertThat(damaged).isEmpty();

        large[2 << 20] = 8;
        Files.write(files.get(first), large);
        round();

        assertThat(damaged).containsExactly(first);
    }

    @Test
    void aRoundReportsUnreadableFilesButNotMissingOnes() throws Exception {
        Digest gone = add("gone", new byte[] {1});
        Files.delete(files.get(gone));
        Digest unreadable = add("unreadable", new byte[] {2});
        Files.delete(files.get(unreadable));
        Files.createDirectory(files.get(unreadable));

        round();

        assertThat(damaged).containsExactly(unreadable);
    }

    @Test
    void aListenerThatFailsDoesNotEndTheRound() throws Exception {
        for (byte content = 0; content < 3; content++) {
            Digest changed = add("changed-" + content, new byte[] {content});
            Files.write(files.get(changed), new byte[] {9});
        }
        List<Digest> told = new ArrayList<>();
        Consumer<Digest> listener =
                digest -> {
                    told.add(digest);
                    switch (told.size()) {
                        case 1 -> throw new IllegalStateException("a defect");
                        case 2 -> throw new InternalError("simulated");
                        default -> {}
                    }
                };

        round(listener);

        assertThat(told).containsExactlyInAnyOrderElementsOf(files.keySet());
    }

    @Test
    void theScrubberContinuesAfterAFailedRound() throws Exception {
        Digest changed = add("changed", new byte[] {1});
        Files.write(files.get(changed), new byte[] {2});
        AtomicBoolean failed = new AtomicBoolean();
        Supplier<Map<Digest, Path>> inUse =
                () -> {
                    if (!failed.getAndSet(true)) {
                        throw new OutOfMemoryError("simulated");
                    }
                    return files;
                };
        try (ScrubLoop<?> _ =
                DigestScrubber.start("test", inUse, damaged::add, FAST, Duration.ofMillis(1))) {
            assertThat(damaged.poll(30, TimeUnit.SECONDS)).isEqualTo(changed);
        }
    }

    @Test
    void theScrubberRepeatsItsRounds() throws Exception {
        Digest changed = add("changed", new byte[] {1});
        Files.write(files.get(changed), new byte[] {2});
        ScrubLoop<?> scrubber =
                DigestScrubber.start("test", () -> files, damaged::add, FAST, Duration.ofMillis(1));
        assertThat(damaged.poll(30, TimeUnit.SECONDS)).isEqualTo(changed);
        assertThat(damaged.poll(30, TimeUnit.SECONDS)).as("a second round").isEqualTo(changed);
        scrubber.close();
    }

    @Test
    void aRateOfZeroDisablesTheScrubber() {
        try (ScrubLoop<?> _ =
                DigestScrubber.start("off", () -> files, damaged::add, 0, Duration.ZERO)) {
            assertThat(Thread.getAllStackTraces().keySet())
                    .noneMatch(thread -> thread.getName().equals("scrub-off"));
        }
    }
}
