package dev.forebay.linux;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.List;

/**
 * Looks up functions of the C library. Each function takes a {@link CallState}'s segment before its
 * own arguments.
 */
public final class CLibrary {

    private static final Linker LINKER = Linker.nativeLinker();

    /** {@code int strerror(int)}, the only function without a call state. */
    private static final MethodHandle STRERROR =
            LINKER.downcallHandle(
                    LINKER.defaultLookup().findOrThrow("strerror"),
                    FunctionDescriptor.of(ValueLayout.ADDRESS, JAVA_INT));

    private static final int LONGEST_TEXT = 1024;

    /** The encoding of the C library's texts. */
    private static final Charset NATIVE =
            Charset.forName(System.getProperty("native.encoding", "UTF-8"));

    private CLibrary() {}

    /** Returns a handle of the function with this name and type. */
    public static MethodHandle function(String name, FunctionDescriptor type) {
        return function(name, type, List.of());
    }

    /**
     * Returns a handle of a function with variable arguments.
     *
     * @param fixed the number of arguments before the variable ones
     */
    public static MethodHandle variadic(String name, int fixed, FunctionDescriptor type) {
        return function(name, type, List.of(Linker.Option.firstVariadicArg(fixed)));
    }

    private static MethodHandle function(
            String name, FunctionDescriptor type, List<Linker.Option> more) {
        List<Linker.Option> options = new ArrayList<>(more);
        options.add(CallState.CAPTURE);
        return LINKER.downcallHandle(
                LINKER.defaultLookup().findOrThrow(name),
                type,
                options.toArray(Linker.Option[]::new));
    }

    /** Returns the address of a function, to pass it to another function. */
    public static MemorySegment address(String name) {
        return LINKER.defaultLookup().findOrThrow(name);
    }

    /** Returns the C library's text for an error, in the language of this process. */
    public static String textOf(int errno) {
        MemorySegment text;
        try {
            text = ((MemorySegment) STRERROR.invokeExact(errno)).reinterpret(LONGEST_TEXT);
        } catch (Throwable e) {
            throw impossible(e);
        }
        int length = 0;
        while (length < LONGEST_TEXT && text.get(JAVA_BYTE, length) != 0) {
            length++;
        }
        return new String(text.asSlice(0, length).toArray(JAVA_BYTE), NATIVE);
    }

    /** Returns the text as a C string. */
    public static MemorySegment text(Arena arena, Object text) {
        return arena.allocateFrom(text.toString());
    }

    /** A call of a function that returns an int. It throws only if it passes the wrong types. */
    @FunctionalInterface
    public interface IntCall {
        int make() throws Throwable;
    }

    /** A call of a function that returns a long, as {@link IntCall}. */
    @FunctionalInterface
    public interface LongCall {
        long make() throws Throwable;
    }

    /** Makes a call and returns its result, which is negative if the call failed. */
    public static int makeInt(IntCall call) {
        try {
            return call.make();
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    /** Makes a call and returns its result, which is negative if the call failed. */
    public static long makeLong(LongCall call) {
        try {
            return call.make();
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    /**
     * Calls a function of one int, and returns its result. Allocates nothing, so it works when
     * memory runs out.
     */
    public static int call(MethodHandle function, CallState state, int argument) {
        try {
            return (int) function.invokeExact(state.segment(), argument);
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    /** Calls a function of two ints, as {@link #call(MethodHandle, CallState, int)}. */
    public static int call(MethodHandle function, CallState state, int first, int second) {
        try {
            return (int) function.invokeExact(state.segment(), first, second);
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    /** Returns what to throw: a lack of memory stays one, and anything else is a defect. */
    private static Error impossible(Throwable e) {
        return e instanceof Error error ? error : new AssertionError(e);
    }
}
