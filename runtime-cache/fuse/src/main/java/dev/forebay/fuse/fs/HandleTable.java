package dev.forebay.fuse.fs;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** Open files or directories by the number that the kernel knows them by. Thread-safe. */
public final class HandleTable<T> {

    private static final int LIMIT = 1_000_000;

    private final Map<Long, T> open = new ConcurrentHashMap<>();
    private final AtomicLong numbers = new AtomicLong();

    /**
     * Gives an open file or directory a number.
     *
     * @throws FsException ENFILE at one million open ones
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
     * What has this number.
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

    /** How many are open. */
    public int size() {
        return open.size();
    }
}
