package dev.forebay.fuse.jnr;

import dev.forebay.fuse.fs.Errno;
import dev.forebay.fuse.fs.FsException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** Maps the handle numbers that the kernel uses to open files or directories. Thread-safe. */
public final class HandleTable<T> {

    private static final int LIMIT = 1_000_000;

    private final Map<Long, T> open = new ConcurrentHashMap<>();
    private final AtomicLong numbers = new AtomicLong();

    /**
     * Assigns a number to an open file or directory.
     *
     * @throws FsException ENFILE if one million are open
     */
    public long add(T opened) {
        if (open.size() >= LIMIT) {
            throw new FsException(Errno.ENFILE, LIMIT + " are open");
        }
        long number = numbers.incrementAndGet();
        open.put(number, opened);
        return number;
    }

    /**
     * Returns the open file or directory with this number.
     *
     * @throws FsException EBADF if it is not open
     */
    public T get(long number) {
        T opened = open.get(number);
        if (opened == null) {
            throw new FsException(Errno.EBADF, "handle " + number);
        }
        return opened;
    }

    public void remove(long number) {
        open.remove(number);
    }

    /** Returns the number of open files or directories. */
    public int size() {
        return open.size();
    }
}
