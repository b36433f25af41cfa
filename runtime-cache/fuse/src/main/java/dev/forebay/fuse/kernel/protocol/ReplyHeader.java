package dev.forebay.fuse.kernel.protocol;

import static dev.forebay.fuse.kernel.protocol.Layouts.offset;
import static dev.forebay.fuse.kernel.protocol.Layouts.u32;
import static dev.forebay.fuse.kernel.protocol.Layouts.u64;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/** What every reply and every notification begins with: {@code struct fuse_out_header}. */
public final class ReplyHeader {

    static final StructLayout LAYOUT =
            MemoryLayout.structLayout(u32("len"), u32("error"), u64("unique"));

    public static final int BYTES = (int) LAYOUT.byteSize();

    /** A notification's code is where a reply has its error: {@code FUSE_NOTIFY_RESEND}. */
    private static final int NOTIFY_RESEND = 7;

    private static final long LENGTH = offset(LAYOUT, "len");
    private static final long ERROR = offset(LAYOUT, "error");
    private static final long UNIQUE = offset(LAYOUT, "unique");

    private ReplyHeader() {}

    /**
     * Begins a reply.
     *
     * @param length of the whole reply in bytes
     * @param error 0, or a negative error number; then there is nothing behind the header
     */
    public static void write(MemorySegment reply, int length, int error, long unique) {
        reply.set(JAVA_INT, LENGTH, length);
        reply.set(JAVA_INT, ERROR, error);
        reply.set(JAVA_LONG, UNIQUE, unique);
    }

    /** Asks for all requests again that were read and not answered (protocol 7.40). */
    public static void writeResend(MemorySegment notification) {
        write(notification, BYTES, NOTIFY_RESEND, 0);
    }
}
