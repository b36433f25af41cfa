package dev.forebay.fuse.kernel.protocol;

import static dev.forebay.fuse.kernel.protocol.Layouts.offset;
import static dev.forebay.fuse.kernel.protocol.Layouts.u32;
import static dev.forebay.fuse.kernel.protocol.Layouts.u64;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/**
 * An entry of a listing: {@code struct fuse_dirent}, its name, and zeros up to a multiple of 8
 * bytes. In READDIRPLUS an {@link EntryReply} precedes it ({@code struct fuse_direntplus}).
 */
public final class DirectoryEntry {

    static final StructLayout LAYOUT =
            MemoryLayout.structLayout(u64("ino"), u64("off"), u32("namelen"), u32("type"));

    static final int HEADER_BYTES = (int) LAYOUT.byteSize();

    /** {@code DT_DIR} and {@code DT_REG}. */
    private static final int DIRECTORY = 4;

    private static final int FILE = 8;

    private static final long NEXT = offset(LAYOUT, "off");
    private static final long NAME_LENGTH = offset(LAYOUT, "namelen");
    private static final long TYPE = offset(LAYOUT, "type");

    private DirectoryEntry() {}

    /** Returns the size of an entry in bytes. */
    public static int bytes(byte[] name) {
        return Math.ceilDiv(HEADER_BYTES + name.length, Long.BYTES) * Long.BYTES;
    }

    /** Returns the size of a READDIRPLUS entry in bytes. */
    public static int bytesPlus(byte[] name) {
        return EntryReply.BYTES + bytes(name);
    }

    /** Writes an entry over memory of any content. */
    public static void write(
            MemorySegment memory, long at, long inode, boolean directory, byte[] name, long next) {
        memory.set(JAVA_LONG, at, inode);
        memory.set(JAVA_LONG, at + NEXT, next);
        memory.set(JAVA_INT, at + NAME_LENGTH, name.length);
        memory.set(JAVA_INT, at + TYPE, directory ? DIRECTORY : FILE);
        long end = at + bytes(name);
        if (name.length % Long.BYTES != 0) {
            memory.set(JAVA_LONG, end - Long.BYTES, 0);
        }
        MemorySegment.copy(name, 0, memory, JAVA_BYTE, at + HEADER_BYTES, name.length);
    }

    /**
     * Writes an empty {@link EntryReply}, after which the kernel looks the entry up when needed.
     */
    public static void writeUnknown(MemorySegment memory, long at) {
        EntryReply.writeUnknown(memory, at);
    }
}
