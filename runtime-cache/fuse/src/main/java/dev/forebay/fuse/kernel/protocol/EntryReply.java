package dev.forebay.fuse.kernel.protocol;

import static dev.forebay.fuse.kernel.protocol.Layouts.offset;
import static dev.forebay.fuse.kernel.protocol.Layouts.u32;
import static dev.forebay.fuse.kernel.protocol.Layouts.u64;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.forebay.fuse.fs.Attributes;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/** The inode behind a name: {@code struct fuse_entry_out}. */
public final class EntryReply {

    static final StructLayout LAYOUT =
            MemoryLayout.structLayout(
                    u64("nodeid"),
                    u64("generation"),
                    u64("entry_valid"),
                    u64("attr_valid"),
                    u32("entry_valid_nsec"),
                    u32("attr_valid_nsec"),
                    FileAttributes.LAYOUT.withName("attr"));

    public static final int BYTES = (int) LAYOUT.byteSize();

    private static final long NODE = offset(LAYOUT, "nodeid");
    private static final long GENERATION = offset(LAYOUT, "generation");
    private static final long NAME_SECONDS = offset(LAYOUT, "entry_valid");
    private static final long ATTRIBUTES_SECONDS = offset(LAYOUT, "attr_valid");
    private static final long NAME_NANOS = offset(LAYOUT, "entry_valid_nsec");
    private static final long ATTRIBUTES_NANOS = offset(LAYOUT, "attr_valid_nsec");
    private static final long ATTRIBUTES = offset(LAYOUT, "attr");

    private EntryReply() {}

    /**
     * Writes a reply.
     *
     * @param seconds the time for which the kernel may cache name and attributes
     */
    public static void write(
            MemorySegment memory, long at, Attributes attributes, long seconds, Owner owner) {
        write(memory, at, attributes, seconds, seconds, owner);
    }

    /**
     * Writes a reply with attributes that the kernel must not cache, so it asks for them when
     * needed.
     *
     * @param seconds the time for which the kernel may cache the name
     */
    public static void writeOutline(
            MemorySegment memory, long at, Attributes outline, long seconds, Owner owner) {
        write(memory, at, outline, seconds, 0, owner);
    }

    private static void write(
            MemorySegment memory,
            long at,
            Attributes attributes,
            long nameSeconds,
            long attributesSeconds,
            Owner owner) {
        memory.set(JAVA_LONG, at + NODE, attributes.inode());
        memory.set(JAVA_LONG, at + GENERATION, 0);
        memory.set(JAVA_LONG, at + NAME_SECONDS, nameSeconds);
        memory.set(JAVA_LONG, at + ATTRIBUTES_SECONDS, attributesSeconds);
        memory.set(JAVA_INT, at + NAME_NANOS, 0);
        memory.set(JAVA_INT, at + ATTRIBUTES_NANOS, 0);
        FileAttributes.write(memory, at + ATTRIBUTES, attributes, owner);
    }

    /** Writes an empty reply: the kernel then looks the entry of a listing up when needed. */
    static void writeUnknown(MemorySegment memory, long at) {
        memory.asSlice(at, BYTES).fill((byte) 0);
    }
}
