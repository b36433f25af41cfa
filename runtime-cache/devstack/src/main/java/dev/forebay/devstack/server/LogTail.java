package dev.forebay.devstack.server;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** Reads the last lines of a log, for the error message about a process that did not start. */
final class LogTail {
    private static final int BYTES = 4096;

    private LogTail() {}

    static String of(Path log) {
        try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "r")) {
            file.seek(Math.max(0, file.length() - BYTES));
            byte[] tail = new byte[(int) Math.min(BYTES, file.length())];
            file.readFully(tail);
            String text = new String(tail, StandardCharsets.UTF_8).strip();
            return text.isEmpty() ? "(it wrote nothing)" : text.indent(2).stripTrailing();
        } catch (IOException e) {
            return "(no log: " + e.getMessage() + ")";
        }
    }
}
