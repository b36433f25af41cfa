package dev.forebay.fuse.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.fuse.fs.Attributes;
import dev.forebay.fuse.fs.Errno;
import dev.forebay.fuse.fs.FileSystemView;
import dev.forebay.fuse.fs.OpenDirectory;
import dev.forebay.fuse.fs.OpenFile;
import dev.forebay.fuse.fs.Operation;
import dev.forebay.fuse.fs.OperationMeter;
import dev.forebay.fuse.fs.Statistics;
import dev.forebay.fuse.fs.UpcallGuard;
import dev.forebay.fuse.kernel.FakeKernel.Answer;
import dev.forebay.fuse.kernel.protocol.Opcode;
import dev.forebay.fuse.kernel.protocol.ReadRequest;
import dev.forebay.fuse.kernel.protocol.RequestHeader;
import dev.forebay.linux.SystemCallException;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SlowReadsTest {

    /** More than can run at once. */
    private static final int READS = 200;

    private static final int LENGTH = 4096;
    private static final Duration TIMEOUT = Duration.ofSeconds(2);

    /** The file whose bytes are on this node, and the file that readers wait for. */
    private static final long THERE = 2;

    private static final long AWAITED = 3;

    /** The file whose source gives up before the reader's timeout, each time. */
    private static final long GIVEN_UP = 4;

    private static final Duration GIVING_UP = TIMEOUT.multipliedBy(3).dividedBy(4);
    private static final long FAILS_ONCE = 5;

    private final FakeKernel kernel = new FakeKernel();
    private final CountDownLatch arrival = new CountDownLatch(1);
    private final AtomicInteger waiting = new AtomicInteger();
    private final Map<ErrorCode, Integer> failures = new ConcurrentHashMap<>();
    private final FileSystemView view = new Files();
    private final SlowReads slow =
            new SlowReads(
                    view,
                    new RememberedFiles(view),
                    new UpcallGuard(new Counting()),
                    LENGTH,
                    TIMEOUT);
    private final Request request = new Request(view);

    SlowReadsTest() throws SystemCallException {}

    @AfterEach
    void close() throws Exception {
        arrival.countDown();
        assertThat(allHaveEnded()).isTrue();
        kernel.close();
    }

    private boolean allHaveEnded() throws InterruptedException {
        return slow.awaitAnswered(TimeUnit.SECONDS.toNanos(30));
    }

    private void read(long unique, long node) {
        FakeKernel.writeRead(request.memory(), Opcode.READ, unique, node, LENGTH);
        assertThat(request.received(RequestHeader.BYTES + ReadRequest.BYTES)).isTrue();
        assertThat(slow.take(request, kernel.device())).isTrue();
    }

    @Test
    void readsTimeOutWhetherTheyHaveStartedOrNot() throws Exception {
        for (int i = 1; i <= READS; i++) {
            read(i, AWAITED);
        }
        Set<Long> answered =
                LongStream.rangeClosed(1, READS)
                        .mapToObj(_ -> next())
                        .peek(answer -> assertThat(answer.error()).isEqualTo(-Errno.EIO.number()))
                        .map(Answer::unique)
                        .collect(Collectors.toSet());
        assertThat(answered).hasSize(READS);
        assertThat(arrival.getCount()).as("nothing has arrived").isEqualTo(1);

        arrival.countDown();
        assertThat(allHaveEnded()).isTrue();
        assertThat(kernel.rest()).as("second answers").isEmpty();
        assertThat(failures).isEqualTo(Map.of(ErrorCode.UNAVAILABLE, READS));
    }

    @Test
    void anAnsweredReadDoesNotTimeOutLater() throws Exception {
        read(1, THERE);
        assertThat(next()).isEqualTo(new Answer(1, 0, LENGTH));
        // The second read times out later than the first one would.
        read(2, AWAITED);
        assertThat(next()).isEqualTo(new Answer(2, -Errno.EIO.number(), 0));
        assertThat(kernel.rest()).isEmpty();
    }

    /** A kernel that read ahead asks again for the page that its reader wants. */
    @Test
    void aReadThatTimedOutFailsAtOnceWhenItIsRepeated() throws Exception {
        read(1, AWAITED);
        assertThat(next()).isEqualTo(new Answer(1, -Errno.EIO.number(), 0));
        read(2, AWAITED);
        assertThat(next()).isEqualTo(new Answer(2, -Errno.EIO.number(), 0));
        assertThat(waiting).as("the second was not waited for").hasValueLessThan(2);
    }

    /** The source gives up before the timeout of the reader. */
    @Test
    void aRepeatedReadWaitsOnlyUntilTheDeadlineOfTheFirst() throws Exception {
        long began = System.nanoTime();
        read(1, GIVEN_UP);
        assertThat(next()).isEqualTo(new Answer(1, -Errno.EIO.number(), 0));
        read(2, GIVEN_UP);
        assertThat(next()).isEqualTo(new Answer(2, -Errno.EIO.number(), 0));
        assertThat(Duration.ofNanos(System.nanoTime() - began))
                .as("less than two complete attempts")
                .isLessThan(GIVING_UP.multipliedBy(2));
    }

    /** Simulates a read that had joined another one whose timeout passed. */
    @Test
    void aRepeatedReadSucceedsIfTheBytesArriveInTime() throws Exception {
        read(1, FAILS_ONCE);
        assertThat(next()).isEqualTo(new Answer(1, -Errno.EIO.number(), 0));
        read(2, FAILS_ONCE);
        assertThat(next()).isEqualTo(new Answer(2, 0, LENGTH));
    }

    private Answer next() {
        try {
            return kernel.next();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private final class Counting implements OperationMeter {
        @Override
        public void ended(Operation operation, long nanos) {}

        @Override
        public void failed(Operation operation, ErrorCode code) {
            failures.merge(code, 1, Integer::sum);
        }
    }

    /** Files that are not on this node; only one of them arrives. */
    private final class Files implements FileSystemView {

        @Override
        public OpenFile open(long inode) {
            return new OpenFile() {
                @Override
                public int read(long offset, ByteBuffer target) {
                    if (inode == AWAITED) {
                        waiting.incrementAndGet();
                        awaitArrival();
                    } else if (inode == GIVEN_UP) {
                        LockSupport.parkNanos(GIVING_UP.toNanos());
                        throw new ForebayException(ErrorCode.UNAVAILABLE, "given up");
                    } else if (inode == FAILS_ONCE && waiting.incrementAndGet() == 1) {
                        throw new ForebayException(ErrorCode.UNAVAILABLE, "once");
                    }
                    int length = target.remaining();
                    target.position(target.limit());
                    return length;
                }

                @Override
                public boolean isHere(long offset, int length) {
                    return false;
                }

                @Override
                public Attributes attributes() {
                    return getattr(inode);
                }
            };
        }

        private void awaitArrival() {
            try {
                arrival.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        @Override
        public String describe(long inode) {
            return "file " + inode;
        }

        @Override
        public Attributes getattr(long inode) {
            return new Attributes(inode, false, LENGTH, 0);
        }

        @Override
        public Attributes lookup(long parent, String name) {
            throw new UnsupportedOperationException(name);
        }

        @Override
        public OpenDirectory opendir(long inode) {
            throw new UnsupportedOperationException("inode " + inode);
        }

        @Override
        public List<String> listxattr(long inode) {
            return List.of();
        }

        @Override
        public byte[] getxattr(long inode, String name) {
            throw new UnsupportedOperationException(name);
        }

        @Override
        public Statistics statfs() {
            return new Statistics(LENGTH, 2);
        }

        @Override
        public boolean isLasting(long inode) {
            return true;
        }
    }
}
