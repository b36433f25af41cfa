package dev.forebay.fuse.kernel.protocol;

import static dev.forebay.fuse.kernel.protocol.Layouts.offset;
import static dev.forebay.fuse.kernel.protocol.Layouts.spare;
import static dev.forebay.fuse.kernel.protocol.Layouts.u16;
import static dev.forebay.fuse.kernel.protocol.Layouts.u32;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/** The accepted part of an offer: {@code struct fuse_init_out}, 64 bytes since 7.23. */
public final class InitReply {

    static final StructLayout LAYOUT =
            MemoryLayout.structLayout(
                    u32("major"),
                    u32("minor"),
                    u32("max_readahead"),
                    u32("flags"),
                    u16("max_background"),
                    u16("congestion_threshold"),
                    u32("max_write"),
                    u32("time_gran"),
                    u16("max_pages"),
                    u16("map_alignment"),
                    u32("flags2"),
                    u32("max_stack_depth"),
                    spare(24));

    public static final int BYTES = (int) LAYOUT.byteSize();

    /**
     * The maximum number of background requests, such as read-ahead, at a time. Further ones wait
     * in the kernel, for any file. The limit is therefore well above the number that can wait for
     * workers.
     */
    private static final short MAX_BACKGROUND = 1024;

    /**
     * The number at which the kernel considers the device congested, by convention three quarters.
     */
    private static final short CONGESTION = 768;

    /** The smallest value that the kernel accepts; there are no writes. */
    private static final int MAX_WRITE = 4096;

    private InitReply() {}

    /**
     * Writes a reply after its header.
     *
     * @param minor the smaller of both sides' versions
     * @param flags see {@link InitFlags}
     * @param maxPages the maximum number of pages of a request
     */
    public static void write(
            MemorySegment reply, int major, int minor, int readahead, long flags, int maxPages) {
        MemorySegment body = reply.asSlice(ReplyHeader.BYTES, BYTES).fill((byte) 0);
        body.set(JAVA_INT, offset(LAYOUT, "major"), major);
        body.set(JAVA_INT, offset(LAYOUT, "minor"), minor);
        body.set(JAVA_INT, offset(LAYOUT, "max_readahead"), readahead);
        body.set(JAVA_INT, offset(LAYOUT, "flags"), (int) flags);
        body.set(JAVA_SHORT, offset(LAYOUT, "max_background"), MAX_BACKGROUND);
        body.set(JAVA_SHORT, offset(LAYOUT, "congestion_threshold"), CONGESTION);
        body.set(JAVA_INT, offset(LAYOUT, "max_write"), MAX_WRITE);
        body.set(JAVA_INT, offset(LAYOUT, "time_gran"), 1);
        body.set(JAVA_SHORT, offset(LAYOUT, "max_pages"), (short) maxPages);
        body.set(JAVA_INT, offset(LAYOUT, "flags2"), (int) (flags >>> 32));
    }
}
