package dev.forebay.lake.walk;

import java.io.Closeable;
import java.io.IOException;
import java.io.Reader;
import org.jspecify.annotations.Nullable;

/**
 * Reads the lines of a text, and cuts off long ones. A {@link java.io.BufferedReader} would keep
 * all of a file that has no line end, as can happen if the file is not a list. Not thread-safe.
 */
final class Lines implements Closeable {

    private final Reader text;
    private final int most;
    private final StringBuilder line = new StringBuilder();
    private boolean afterReturn;

    /**
     * @param text buffered
     * @param most how many characters of a line to keep
     */
    Lines(Reader text, int most) {
        this.text = text;
        this.most = most;
    }

    /** Returns the next line, without its end; null after the last line. */
    @Nullable String next() throws IOException {
        int c = text.read();
        if (afterReturn && c == '\n') {
            c = text.read();
        }
        if (c < 0) {
            return null;
        }
        line.setLength(0);
        for (; c >= 0 && c != '\n' && c != '\r'; c = text.read()) {
            if (line.length() < most) {
                line.append((char) c);
            }
        }
        afterReturn = c == '\r';
        return line.toString();
    }

    @Override
    public void close() throws IOException {
        text.close();
    }
}
