package dev.forebay.fuse.kernel.device;

import dev.forebay.fuse.kernel.protocol.InitFlags;
import dev.forebay.fuse.kernel.protocol.InitReply;
import dev.forebay.fuse.kernel.protocol.InitRequest;
import dev.forebay.fuse.kernel.protocol.Opcode;
import dev.forebay.fuse.kernel.protocol.ReplyHeader;
import dev.forebay.fuse.kernel.protocol.RequestHeader;
import dev.forebay.fuse.linux.PageSize;
import dev.forebay.linux.CallState;
import dev.forebay.linux.Descriptor;
import dev.forebay.linux.ErrorNumber;
import dev.forebay.linux.SystemCallException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Answers INIT, the kernel's first request, in which both sides agree on version and features. */
final class Negotiation {

    /** The largest request that does not require a higher {@code fs.fuse.max_pages_limit}. */
    static final int MAX_REQUEST_BYTES = 1 << 20;

    private static final int REQUEST_BUFFER = 64 << 10;

    private Negotiation() {}

    /**
     * Answers INIT. A newer kernel uses our minor version. A kernel with another major version sees
     * ours in the answer and sends INIT again.
     *
     * @throws IOException if the kernel is too old
     */
    static Protocol with(Descriptor device) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment request = arena.allocate(REQUEST_BUFFER, Long.BYTES);
            MemorySegment reply =
                    arena.allocate((long) ReplyHeader.BYTES + InitReply.BYTES, Long.BYTES);
            CallState state = new CallState();
            while (true) {
                long bytes = device.read(request, state);
                if (bytes < 0) {
                    if (state.errno() == ErrorNumber.EINTR) {
                        continue;
                    }
                    throw new SystemCallException("read the first request", state.errno());
                }
                if (RequestHeader.opcode(request) != Opcode.INIT) {
                    throw new IOException(
                            "the first request is " + RequestHeader.opcode(request) + ", not INIT");
                }
                InitRequest offer = InitRequest.read(request, bytes);
                if (offer.major() < Protocol.MAJOR
                        || (offer.major() == Protocol.MAJOR
                                && offer.minor() < Protocol.OLDEST_MINOR)) {
                    throw new IOException(
                            "the kernel supports FUSE %d.%d, but at least 7.%d, Linux 5.4, is necessary"
                                    .formatted(
                                            offer.major(), offer.minor(), Protocol.OLDEST_MINOR));
                }
                Protocol agreed = agree(offer);
                InitReply.write(
                        reply,
                        Protocol.MAJOR,
                        agreed.minor(),
                        offer.maxReadahead(),
                        agreed.flags(),
                        MAX_REQUEST_BYTES / PageSize.bytes());
                ReplyHeader.write(reply, (int) reply.byteSize(), 0, RequestHeader.unique(request));
                if (device.write(reply, reply.byteSize(), state) < 0) {
                    throw new SystemCallException("answer INIT", state.errno());
                }
                if (offer.major() == Protocol.MAJOR) {
                    return agreed;
                }
            }
        }
    }

    static Protocol agree(InitRequest offer) {
        return new Protocol(
                Math.min(offer.minor(), Protocol.NEWEST_MINOR),
                offer.flags() & InitFlags.WANTED,
                MAX_REQUEST_BYTES);
    }
}
