package dev.forebay.fuse.kernel;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.forebay.fuse.fs.Errno;
import dev.forebay.fuse.fs.FileSystemView;
import dev.forebay.fuse.fs.FsException;
import dev.forebay.fuse.kernel.protocol.RequestHeader;
import dev.forebay.fuse.linux.LockedMemory;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The current request of a thread, in memory that the thread reuses for all its requests. */
final class Request {

    /**
     * The kernel returns an error for buffers below 8 KiB. The largest request without data has two
     * names of 4 KiB. More space lets the kernel batch more FORGETs.
     */
    private static final int BUFFER_BYTES = 64 << 10;

    private final MemorySegment memory;
    private final FileSystemView view;
    private int length;

    Request(FileSystemView view) {
        this(view, LockedMemory.allocate(BUFFER_BYTES));
    }

    private Request(FileSystemView view, MemorySegment memory) {
        this.view = view;
        this.memory = memory;
    }

    /** Returns a copy in its own memory, no larger than needed, for another thread to work on. */
    Request copy() {
        MemorySegment words = MemorySegment.ofArray(new long[Math.ceilDiv(length, Long.BYTES)]);
        Request copy = new Request(view, words.copyFrom(memory.asSlice(0, length)));
        copy.length = length;
        return copy;
    }

    /** Returns the request as the kernel wrote it. */
    MemorySegment memory() {
        return memory;
    }

    /** Records the number of bytes that were read; returns false if they are not one request. */
    boolean received(long bytes) {
        length = (int) bytes;
        return bytes >= RequestHeader.BYTES && RequestHeader.length(memory) == bytes;
    }

    int opcode() {
        return RequestHeader.opcode(memory);
    }

    long unique() {
        return RequestHeader.unique(memory);
    }

    long node() {
        return RequestHeader.node(memory);
    }

    /**
     * Returns a name, which ends with NUL in the request.
     *
     * @param at the position of its first byte
     * @throws FsException ENOENT if the name is not UTF-8, because no key is like that
     */
    String name(long at) {
        int end = (int) at;
        while (end < length && memory.get(JAVA_BYTE, end) != 0) {
            end++;
        }
        byte[] bytes = memory.asSlice(at, end - at).toArray(JAVA_BYTE);
        String name = new String(bytes, StandardCharsets.UTF_8);
        if (name.indexOf('\ufffd') >= 0
                && !Arrays.equals(name.getBytes(StandardCharsets.UTF_8), bytes)) {
            throw new FsException(Errno.ENOENT, "a name that is not UTF-8");
        }
        return name;
    }

    /** Returns a description for messages. */
    @Override
    public String toString() {
        return view.describe(node());
    }
}
