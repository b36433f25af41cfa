package dev.forebay.fuse.kernel.protocol;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;

/** Short names for the field types of C structures. */
final class Layouts {

    private Layouts() {}

    static ValueLayout.OfShort u16(String name) {
        return ValueLayout.JAVA_SHORT.withName(name);
    }

    static ValueLayout.OfInt u32(String name) {
        return ValueLayout.JAVA_INT.withName(name);
    }

    static ValueLayout.OfLong u64(String name) {
        return ValueLayout.JAVA_LONG.withName(name);
    }

    static MemoryLayout spare(long bytes) {
        return MemoryLayout.paddingLayout(bytes);
    }

    static long offset(StructLayout layout, String field) {
        return layout.byteOffset(PathElement.groupElement(field));
    }
}
