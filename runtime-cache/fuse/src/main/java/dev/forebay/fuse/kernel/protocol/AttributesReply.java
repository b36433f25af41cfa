package dev.forebay.fuse.kernel.protocol;

import static dev.forebay.fuse.kernel.protocol.Layouts.offset;
import static dev.forebay.fuse.kernel.protocol.Layouts.u32;
import static dev.forebay.fuse.kernel.protocol.Layouts.u64;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.forebay.fuse.fs.Attributes;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/** The answer to GETATTR: {@code struct fuse_attr_out}. */
public final class AttributesReply {

    static final StructLayout LAYOUT =
            MemoryLayout.structLayout(
                    u64("attr_valid"),
                    u32("attr_valid_nsec"),
                    u32("dummy"),
                    FileAttributes.LAYOUT.withName("attr"));

    public static final int BYTES = (int) LAYOUT.byteSize();

    private static final long ATTRIBUTES = offset(LAYOUT, "attr");

    private AttributesReply() {}

    /**
     * Writes a reply.
     *
     * @param seconds the time for which the kernel may cache it
     */
    public static void write(
            MemorySegment memory, long at, Attributes attributes, long seconds, Owner owner) {
        memory.set(JAVA_LONG, at, seconds);
        memory.set(JAVA_LONG, at + Long.BYTES, 0);
        FileAttributes.write(memory, at + ATTRIBUTES, attributes, owner);
    }
}
