package dev.forebay.fuse.jnr;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import jnr.ffi.BaseStruct;
import jnr.ffi.Struct;
import ru.serce.jnrfuse.struct.FuseOperations;

/**
 * Registers a callback of libfuse through {@code java.lang.foreign} instead of jnr-ffi.
 *
 * <p>jffi, below jnr-ffi, attaches an unknown thread to the JVM again for each of its first
 * thousand callbacks ({@code THREAD_ATTACH_THRESHOLD} in jffi's {@code ClosureMagazine.c}). The
 * threads of libfuse are short-lived, so they rarely get past that. The class {@code
 * java.lang.foreign.Linker} attaches a thread once for its lifetime, and later callbacks through
 * jffi find it attached.
 */
final class Upcall {

    private Upcall() {}

    /**
     * Replaces the callback of an operation.
     *
     * @param operation one of the operations
     * @param target must not throw, because an exception would end the process
     * @param type the C type of the target
     * @param arena must live as long as libfuse may call
     */
    static void set(
            FuseOperations operations,
            BaseStruct.Func<?> operation,
            MethodHandle target,
            FunctionDescriptor type,
            Arena arena) {
        MemorySegment stub = Linker.nativeLinker().upcallStub(target, type, arena);
        Struct.getMemory(operations).putAddress(operation.offset(), stub.address());
    }
}
