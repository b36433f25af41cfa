package dev.forebay.fuse.kernel.device;

import dev.forebay.fuse.kernel.protocol.ReplyHeader;
import dev.forebay.linux.CallState;
import dev.forebay.linux.Descriptor;
import dev.forebay.linux.SystemCallException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * The descriptors through which a mount is served. The mount lives as long as any process has one
 * of them open.
 *
 * @param descriptors one for the mount, and clones of it. Each has its own queue of the requests
 *     that were read from it. When the last copy of a descriptor is closed, the kernel fails the
 *     requests in its queue.
 */
public record FuseDevice(List<Descriptor> descriptors, Protocol protocol) implements AutoCloseable {

    /** Allocated in advance, with the message, for the case that no memory is left. Guards both. */
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
     * Makes the kernel send again all requests that were read but not answered, for the process
     * that serves the mount now or next. Requests that a process still works on come again too; the
     * kernel accepts only the first of two answers.
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
