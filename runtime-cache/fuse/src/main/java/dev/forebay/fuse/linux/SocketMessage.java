package dev.forebay.fuse.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.forebay.linux.Descriptor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * {@code struct msghdr} with one buffer and space for descriptors (SCM_RIGHTS); see sendmsg(2),
 * cmsg(3), unix(7).
 */
final class SocketMessage {

    private static final int TEXT_BYTES = 8192;

    /** The kernel passes at most 253 at once. */
    private static final int MAX_DESCRIPTORS = 253;

    private static final int SOL_SOCKET = 1;
    private static final int SCM_RIGHTS = 1;

    private static final StructLayout IOVEC =
            MemoryLayout.structLayout(ADDRESS.withName("base"), JAVA_LONG.withName("len"));

    static final StructLayout MSGHDR =
            MemoryLayout.structLayout(
                    ADDRESS.withName("name"),
                    JAVA_INT.withName("namelen"),
                    MemoryLayout.paddingLayout(4),
                    ADDRESS.withName("iov"),
                    JAVA_LONG.withName("iovlen"),
                    ADDRESS.withName("control"),
                    JAVA_LONG.withName("controllen"),
                    JAVA_INT.withName("flags"),
                    MemoryLayout.paddingLayout(4));

    static final StructLayout CMSGHDR =
            MemoryLayout.structLayout(
                    JAVA_LONG.withName("len"),
                    JAVA_INT.withName("level"),
                    JAVA_INT.withName("type"));

    private static final long CONTROL = offset(MSGHDR, "control");
    private static final long CONTROL_LENGTH = offset(MSGHDR, "controllen");

    private final MemorySegment text;
    private final MemorySegment buffer;
    private final MemorySegment control;
    private final MemorySegment header;

    private SocketMessage(Arena arena, MemorySegment text, int descriptors) {
        this.text = text;
        this.buffer = arena.allocate(IOVEC);
        buffer.set(ADDRESS, 0, text);
        buffer.set(JAVA_LONG, offset(IOVEC, "len"), text.byteSize());
        this.control =
                arena.allocate(
                        CMSGHDR.byteSize() + Math.ceilDiv(4L * descriptors, 8) * 8, Long.BYTES);
        this.header = arena.allocate(MSGHDR);
        header.set(ADDRESS, offset(MSGHDR, "iov"), buffer);
        header.set(JAVA_LONG, offset(MSGHDR, "iovlen"), 1);
        if (descriptors > 0) {
            header.set(ADDRESS, CONTROL, control);
            header.set(JAVA_LONG, CONTROL_LENGTH, control.byteSize());
        }
    }

    /** Returns a message to send. */
    static SocketMessage of(Arena arena, String text, List<Descriptor> descriptors) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > TEXT_BYTES || descriptors.size() > MAX_DESCRIPTORS) {
            throw new IllegalArgumentException("too long a message: " + text);
        }
        SocketMessage message =
                new SocketMessage(
                        arena,
                        arena.allocate(bytes.length).copyFrom(MemorySegment.ofArray(bytes)),
                        descriptors.size());
        MemorySegment control = message.control;
        control.set(JAVA_LONG, 0, CMSGHDR.byteSize() + 4L * descriptors.size());
        control.set(JAVA_INT, offset(CMSGHDR, "level"), SOL_SOCKET);
        control.set(JAVA_INT, offset(CMSGHDR, "type"), SCM_RIGHTS);
        for (int i = 0; i < descriptors.size(); i++) {
            control.set(JAVA_INT, CMSGHDR.byteSize() + 4L * i, descriptors.get(i).number());
        }
        return message;
    }

    /** Returns an empty message to receive into. */
    static SocketMessage empty(Arena arena) {
        return new SocketMessage(arena, arena.allocate(TEXT_BYTES), MAX_DESCRIPTORS);
    }

    MemorySegment header() {
        return header;
    }

    /** Returns the received text and descriptors. */
    Packet received(long bytes) {
        byte[] received = text.asSlice(0, bytes).toArray(java.lang.foreign.ValueLayout.JAVA_BYTE);
        List<Descriptor> descriptors = new ArrayList<>();
        if (header.get(JAVA_LONG, CONTROL_LENGTH) >= CMSGHDR.byteSize()
                && control.get(JAVA_INT, offset(CMSGHDR, "level")) == SOL_SOCKET
                && control.get(JAVA_INT, offset(CMSGHDR, "type")) == SCM_RIGHTS) {
            long end = control.get(JAVA_LONG, 0);
            for (long at = CMSGHDR.byteSize(); at + Integer.BYTES <= end; at += Integer.BYTES) {
                descriptors.add(Descriptor.of(control.get(JAVA_INT, at)));
            }
        }
        return new Packet(new String(received, StandardCharsets.UTF_8), descriptors);
    }

    private static long offset(StructLayout layout, String field) {
        return layout.byteOffset(PathElement.groupElement(field));
    }
}
