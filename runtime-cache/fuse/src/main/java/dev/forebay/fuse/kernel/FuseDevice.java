package dev.forebay.fuse.kernel;

import dev.forebay.fuse.kernel.protocol.ReplyHeader;
import dev.forebay.linux.CallState;
import dev.forebay.linux.Descriptor;
import dev.forebay.linux.SystemCallException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * The descriptors by which a mount is served. The mount lives as long as anybody has one of them.
 *
 * @param descriptors one for the mount, and clones of it, each with a queue of its own for the
 *     requests that were read from it. When the last copy of one is closed the kernel fails those.
 */
public record FuseDevice(List<Descriptor> descriptors, Protocol protocol) implements AutoCloseable {

    /** Are there when there is memory for no others. For one thread at a time. */
    private static final CallState OF_RESEND = new CallState();

    private static final MemorySegment RESEND =
            Arena.global().allocate(ReplyHeader.BYTES, Long.BYTES);

    static {
        ReplyHeader.writeResend(RESEND);
    }

    public FuseDevice {
        descriptors = List.copyOf(descriptors);
    }

    /**
     * Asks for all requests again that were read and not answered, for somebody who serves the
     * mount now or later. Requests that a process still works on come again too; of two answers the
     * kernel takes one.
     */
    public void resend() throws SystemCallException {
        synchronized (OF_RESEND) {
            if (descriptors.getFirst().write(RESEND, ReplyHeader.BYTES, OF_RESEND) < 0) {
                throw new SystemCallException("ask for requests again", OF_RESEND.errno());
            }
        }
    }

    @Override
    public void close() {
        descriptors.forEach(Descriptor::close);
    }
}
