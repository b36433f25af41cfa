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

/** The request that a thread is working on, in memory that it uses for one after the other. */
final class Request {

    /**
     * The kernel refuses to give requests to a smaller buffer than 8 KiB. Two names of 4 KiB are
     * the most that one without data holds; with room to spare it brings more FORGETs at once.
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

    /** The same in memory of its own, no more than it needs, for another thread to work on. */
    Request copy() {
        MemorySegment words = MemorySegment.ofArray(new long[Math.ceilDiv(length, Long.BYTES)]);
        Request copy = new Request(view, words.copyFrom(memory.asSlice(0, length)));
        copy.length = length;
        return copy;
    }

    /** As the kernel wrote it. */
    MemorySegment memory() {
        return memory;
    }

    /** Notes how many bytes have been read; false if that is not a request. */
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
     * A name, which the kernel ends with NUL.
     *
     * @param at where it begins
     * @throws FsException ENOENT if it is not UTF-8: no key is like that
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

    /** For messages. */
    @Override
    public String toString() {
        return view.describe(node());
    }
}
