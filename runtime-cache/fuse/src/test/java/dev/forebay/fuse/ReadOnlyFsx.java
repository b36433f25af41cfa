package dev.forebay.fuse;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;

/**
 * Does to one file what the test program fsx does, except writes. It reads in all ways at random,
 * in any order, at and around blocks and the end. Between reads it drops or requests pages, and
 * closes and opens the file.
 */
final class ReadOnlyFsx implements AutoCloseable {

    private static final int PAGE = 4096;
    private static final int LONGEST = 300_000;
    private static final int WILL_NEED = 3;
    private static final int DONT_NEED = 4;

    private final Path path;
    private final byte[] content;
    private final long seed;
    private final Random random;
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment buffer = arena.allocate(LONGEST, PAGE);
    private final MemorySegment vector = arena.allocate(32, 8);
    private NativeFile file;

    ReadOnlyFsx(Path path, byte[] content, long seed) {
        this.path = path;
        this.content = content;
        this.seed = seed;
        random = new Random(seed);
        file = NativeFile.open(path);
    }

    void run(int operations) {
        for (int i = 0; i < operations; i++) {
            int from = somewhere();
            int length = 1 + random.nextInt(random.nextBoolean() ? PAGE : LONGEST);
            int fd = file.descriptor();
            switch (random.nextInt(9)) {
                case 0, 1 -> {
                    assertThat(Libc.call("lseek", fd, (long) from, 0).result()).isEqualTo(from);
                    check(i, "read", from, length, Libc.call("read", fd, buffer, (long) length));
                    assertThat(Libc.call("lseek", fd, 0L, 1).result())
                            .isEqualTo(from + there(from, length));
                }
                case 2, 3 -> {
                    Libc.Answer answer = Libc.call("pread", fd, buffer, (long) length, (long) from);
                    check(i, "pread", from, length, answer);
                }
                case 4 -> {
                    int first = random.nextInt(length + 1);
                    vector.set(JAVA_LONG, 0, buffer.address());
                    vector.set(JAVA_LONG, 8, first);
                    vector.set(JAVA_LONG, 16, buffer.address() + first);
                    vector.set(JAVA_LONG, 24, length - first);
                    check(
                            i,
                            "preadv",
                            from,
                            length,
                            Libc.call("preadv", fd, vector, 2, (long) from));
                }
                case 5, 6 -> map(i, from / PAGE * PAGE, length);
                case 7 ->
                        Libc.call(
                                "posix_fadvise",
                                fd,
                                (long) from,
                                (long) length,
                                random.nextBoolean() ? WILL_NEED : DONT_NEED);
                default -> {
                    file.close();
                    file = NativeFile.open(path);
                }
            }
        }
    }

    /** Returns an offset near a block's start or the end, or anywhere. */
    private int somewhere() {
        int any = random.nextInt(content.length + PAGE);
        return switch (random.nextInt(4)) {
            case 0 -> Math.max(0, any / PAGE * PAGE + random.nextInt(3) - 1);
            case 1 -> Math.max(0, content.length - random.nextInt(2 * PAGE));
            default -> any;
        };
    }

    private int there(int from, int length) {
        return Math.clamp(content.length - from, 0, length);
    }

    private void map(int operation, int from, int length) {
        int there = there(from, length);
        if (there > 0) {
            Libc.Answer mapped =
                    Libc.call(
                            "mmap",
                            MemorySegment.NULL,
                            (long) there,
                            1,
                            1 + random.nextInt(2),
                            file.descriptor(),
                            (long) from);
            MemorySegment memory = MemorySegment.ofAddress(mapped.result());
            // Not by Java: a thread that waits there for a page stops this JVM's collector, and
            // thereby the thread that must fetch the page.
            Libc.call("memcpy", buffer, memory, (long) there);
            Libc.call("munmap", memory, (long) there);
            check(operation, "mmap", from, there, new Libc.Answer(there, 0));
        }
    }

    private void check(int operation, String call, int from, int length, Libc.Answer answer) {
        int there = there(from, length);
        String what =
                "seed %d, operation %d: %s of %d at %d"
                        .formatted(seed, operation, call, length, from);
        assertThat(answer.result()).as(what).isEqualTo(there);
        assertThat(buffer.asSlice(0, there).toArray(JAVA_BYTE))
                .as(what)
                .isEqualTo(
                        Arrays.copyOfRange(
                                content,
                                Math.min(from, content.length),
                                Math.min(from, content.length) + there));
    }

    @Override
    public void close() {
        file.close();
        arena.close();
    }
}
