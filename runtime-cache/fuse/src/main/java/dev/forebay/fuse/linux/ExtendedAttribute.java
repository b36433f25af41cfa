package dev.forebay.fuse.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.forebay.linux.CLibrary;
import dev.forebay.linux.CallState;
import dev.forebay.linux.SystemCallException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;

/** getxattr(2), for names in any namespace. */
public final class ExtendedAttribute {

    private static final MethodHandle GETXATTR =
            CLibrary.function(
                    "getxattr",
                    FunctionDescriptor.of(JAVA_LONG, ADDRESS, ADDRESS, ADDRESS, JAVA_LONG));

    private ExtendedAttribute() {}

    /**
     * Returns the size of an attribute in bytes, without opening the file.
     *
     * @throws SystemCallException ENODATA if the file has no attribute of this name
     */
    public static long length(Path file, String name) throws SystemCallException {
        CallState state = new CallState();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment path = CLibrary.text(arena, file);
            MemorySegment attribute = CLibrary.text(arena, name);
            long result =
                    CLibrary.makeLong(
                            () ->
                                    (long)
                                            GETXATTR.invokeExact(
                                                    state.segment(),
                                                    path,
                                                    attribute,
                                                    MemorySegment.NULL,
                                                    0L));
            state.check(result, "read an attribute of", file);
            return result;
        }
    }
}
