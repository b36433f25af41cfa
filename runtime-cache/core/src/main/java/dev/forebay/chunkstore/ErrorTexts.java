package dev.forebay.chunkstore;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.io.ByteArrayOutputStream;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.charset.Charset;
import java.util.Arrays;
import java.util.List;

/**
 * What the C library calls errors, in the language of this process. Exceptions of Java for files
 * have these texts in them, and not the errors' numbers.
 */
final class ErrorTexts {

    private static final Linker LINKER = Linker.nativeLinker();
    private static final MethodHandle STRERROR =
            LINKER.downcallHandle(
                    LINKER.defaultLookup().find("strerror").orElseThrow(),
                    FunctionDescriptor.of(ADDRESS, JAVA_INT));

    /** In which Java reads what the C library says. */
    private static final Charset NATIVE =
            Charset.forName(System.getProperty("native.encoding", "UTF-8"));

    private ErrorTexts() {}

    /** The texts of these errors. */
    static List<String> of(int... errors) {
        return Arrays.stream(errors).mapToObj(ErrorTexts::text).toList();
    }

    private static String text(int error) {
        MemorySegment text;
        try {
            text = (MemorySegment) STRERROR.invokeExact(error);
        } catch (Throwable e) {
            throw new AssertionError("strerror throws nothing", e);
        }
        MemorySegment bytes = text.reinterpret(Long.MAX_VALUE);
        ByteArrayOutputStream read = new ByteArrayOutputStream();
        for (int i = 0; bytes.get(JAVA_BYTE, i) != 0; i++) {
            read.write(bytes.get(JAVA_BYTE, i));
        }
        return read.toString(NATIVE);
    }
}
