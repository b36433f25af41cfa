package dev.forebay.suite.fork;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * The outcome of one test method, of a class whose set-up failed, or of a class that is skipped.
 *
 * @param name the method with its arguments, as JUnit displays them
 * @param detail the stack trace of a failure, the reason of a skipped test, else empty
 * @param millis wall-clock time
 */
public record TestOutcome(String name, Status status, String detail, long millis) {
    /** How a test ended, or that it has started and not ended. */
    public enum Status {
        STARTED,
        PASSED,
        FAILED,
        SKIPPED
    }

    /** Reads what {@link #writeTo} wrote. */
    public static TestOutcome readFrom(DataInputStream in) throws IOException {
        return new TestOutcome(
                readText(in), Status.valueOf(in.readUTF()), readText(in), in.readLong());
    }

    void writeTo(DataOutputStream out) throws IOException {
        writeText(out, name);
        out.writeUTF(status.name());
        writeText(out, detail);
        out.writeLong(millis);
    }

    /**
     * Writes a text of any length. {@link DataOutputStream#writeUTF} is limited to 64 KiB, and
     * stack traces can be longer.
     */
    private static void writeText(DataOutputStream out, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    private static String readText(DataInputStream in) throws IOException {
        return new String(in.readNBytes(in.readInt()), StandardCharsets.UTF_8);
    }

    /** Returns the first line of the detail, without blanks around it. */
    public String reason() {
        return detail.replaceFirst("(?s)\n.*", "").strip();
    }
}
