package dev.forebay.fuse.jnr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.fuse.fs.Attributes;
import dev.forebay.fuse.fs.Errno;
import dev.forebay.fuse.fs.FsException;
import dev.forebay.fuse.fs.OpenFile;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

class TimedReadsTest {

    /** Enough time for a thread to begin, also on a busy machine. */
    private static final Duration A_WHILE = Duration.ofSeconds(1);

    private static final int BYTES = 100;

    private final CountDownLatch mayGoOn = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);
    private final ByteBuffer target = ByteBuffer.allocate(BYTES);

    /** A file full of sevens that is not on this node. */
    private abstract static class FarFile implements OpenFile {
        @Override
        public boolean isHere(long offset, int length) {
            return false;
        }

        @Override
        public Attributes attributes() {
            throw new UnsupportedOperationException();
        }

        static int give(ByteBuffer target, int bytes) {
            for (int i = 0; i < bytes; i++) {
                target.put((byte) 7);
            }
            return bytes;
        }
    }

    private static TimedReads reads(Duration timeout) {
        return new TimedReads(BYTES, timeout);
    }

    @Test
    void aSlowReadTimesOutAndDoesNotWriteToTheReadersBuffer() throws Exception {
        OpenFile slow =
                new FarFile() {
                    @Override
                    public int read(long offset, ByteBuffer into) {
                        try {
                            mayGoOn.await();
                        } catch (InterruptedException e) {
                            throw new IllegalStateException(e);
                        }
                        int bytes = give(into, BYTES);
                        ended.countDown();
                        return bytes;
                    }
                };

        assertThatThrownBy(() -> reads(A_WHILE).read(slow, 0, target))
                .isInstanceOfSatisfying(
                        ForebayException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE))
                .hasMessageContaining("not answered within 1 s");

        mayGoOn.countDown();
        // The read was not interrupted, because its bytes may be useful for the next reader.
        ended.await();
        assertThat(target.position()).isZero();
        assertThat(target.array()).containsOnly(0);
    }

    /** A kernel that read ahead asks again for the page that its reader wants. */
    @Test
    void aReadThatTimedOutFailsAtOnceWhenItIsRepeated() {
        AtomicInteger asked = new AtomicInteger();
        OpenFile slow =
                new FarFile() {
                    @Override
                    public int read(long offset, ByteBuffer into) {
                        if (asked.incrementAndGet() == 1) {
                            try {
                                mayGoOn.await();
                            } catch (InterruptedException e) {
                                throw new IllegalStateException(e);
                            }
                        }
                        return give(into, 1);
                    }
                };
        TimedReads reads = reads(Duration.ofMillis(50));
        for (int attempt = 0; attempt < 2; attempt++) {
            assertThatThrownBy(() -> reads.read(slow, 0, target))
                    .hasMessageContaining("not answered within 0.05 s");
        }
        assertThat(asked).hasValue(1);
        assertThat(reads.read(slow, BYTES, target)).as("another part of the file").isEqualTo(1);
        mayGoOn.countDown();
    }

    /** The source gives up before the timeout of the reader. */
    @Test
    void aRepeatedReadWaitsOnlyUntilTheDeadlineOfTheFirst() {
        OpenFile givenUp =
                new FarFile() {
                    @Override
                    public int read(long offset, ByteBuffer into) {
                        LockSupport.parkNanos(A_WHILE.toNanos());
                        throw new ForebayException(ErrorCode.UNAVAILABLE, "given up");
                    }
                };
        TimedReads reads = reads(A_WHILE.multipliedBy(3).dividedBy(2));
        assertThatThrownBy(() -> reads.read(givenUp, 0, target)).hasMessage("given up");
        assertThatThrownBy(() -> reads.read(givenUp, 0, target))
                .hasMessageContaining("not answered within 1.5 s");
    }

    /** Simulates a read that had joined another one whose timeout passed. */
    @Test
    void aRepeatedReadSucceedsIfTheBytesArriveInTime() {
        AtomicInteger asked = new AtomicInteger();
        OpenFile failing =
                new FarFile() {
                    @Override
                    public int read(long offset, ByteBuffer into) {
                        if (asked.incrementAndGet() == 1) {
                            throw new ForebayException(ErrorCode.UNAVAILABLE, "once");
                        }
                        return give(into, 3);
                    }
                };
        TimedReads reads = reads(Duration.ofSeconds(30));
        assertThatThrownBy(() -> reads.read(failing, 0, target)).hasMessage("once");
        assertThat(reads.read(failing, 0, target)).isEqualTo(3);
    }

    @Test
    void aReadInTimeReturnsTheBytesUnchanged() {
        OpenFile shorter =
                new FarFile() {
                    @Override
                    public int read(long offset, ByteBuffer into) {
                        return give(into, 3);
                    }
                };

        assertThat(reads(Duration.ofSeconds(30)).read(shorter, 0, target)).isEqualTo(3);

        assertThat(target.flip()).isEqualTo(ByteBuffer.wrap(new byte[] {7, 7, 7}));
    }

    @Test
    void aReadFailsWithTheErrorOfTheFile() {
        OpenFile failing =
                new FarFile() {
                    @Override
                    public int read(long offset, ByteBuffer into) {
                        throw new FsException(Errno.ENOENT, "gone");
                    }
                };

        assertThatThrownBy(() -> reads(Duration.ofSeconds(30)).read(failing, 0, target))
                .isInstanceOf(FsException.class)
                .hasMessageContaining("gone");
    }
}
