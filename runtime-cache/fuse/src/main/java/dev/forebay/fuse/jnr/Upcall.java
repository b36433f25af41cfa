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
 * A callback of libfuse by way of {@code java.lang.foreign} instead of jnr-ffi.
 *
 * <p>jffi, below jnr-ffi, makes a thread that the JVM does not know known to it for each single one
 * of its first thousand callbacks ({@code THREAD_ATTACH_THRESHOLD} in jffi's {@code
 * ClosureMagazine.c}), and libfuse's threads come and go. {@code java.lang.foreign} makes it known
 * once, for as long as it lives; and so it is for what jffi calls on it afterwards.
 */
final class Upcall {

    private Upcall() {}

    /**
     * Has an operation be called so.
     *
     * @param operation of the operations
     * @param target must not throw anything: that ends the process
     * @param type of the target, as libfuse has it
     * @param arena lives as long as libfuse may call
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
