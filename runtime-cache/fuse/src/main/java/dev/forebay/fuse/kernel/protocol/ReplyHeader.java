package dev.forebay.fuse.kernel.protocol;

import static dev.forebay.fuse.kernel.protocol.Layouts.offset;
import static dev.forebay.fuse.kernel.protocol.Layouts.u32;
import static dev.forebay.fuse.kernel.protocol.Layouts.u64;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/** The header of every reply and notification: {@code struct fuse_out_header}. */
public final class ReplyHeader {

    static final StructLayout LAYOUT =
            MemoryLayout.structLayout(u32("len"), u32("error"), u64("unique"));

    public static final int BYTES = (int) LAYOUT.byteSize();

    /**
     * {@code FUSE_NOTIFY_RESEND}. A notification has its code in the place of the error of a reply.
     */
    private static final int NOTIFY_RESEND = 7;

    private static final long LENGTH = offset(LAYOUT, "len");
    private static final long ERROR = offset(LAYOUT, "error");
    private static final long UNIQUE = offset(LAYOUT, "unique");

    private ReplyHeader() {}

    /**
     * Writes the header of a reply.
     *
     * @param length the length of the whole reply in bytes
     * @param error 0, or a negative error number; then nothing follows the header
     */
    public static void write(MemorySegment reply, int length, int error, long unique) {
        reply.set(JAVA_INT, LENGTH, length);
        reply.set(JAVA_INT, ERROR, error);
        reply.set(JAVA_LONG, UNIQUE, unique);
    }

    /**
     * Writes a notification that makes the kernel resend requests that were read but not answered
     * (7.40).
     */
    public static void writeResend(MemorySegment notification) {
        write(notification, BYTES, NOTIFY_RESEND, 0);
    }
}
