package dev.forebay.lake.walk;

import java.io.Closeable;
import java.io.IOException;
import java.io.Reader;
import org.jspecify.annotations.Nullable;

/**
 * The lines of a text. Unlike those of a {@link java.io.BufferedReader} they are cut off, for what
 * is no list may have no end of a line in all its bytes. For one thread at a time.
 */
final class Lines implements Closeable {

    private final Reader text;
    private final int most;
    private final StringBuilder line = new StringBuilder();
    private boolean afterReturn;

    /**
     * @param text buffered
     * @param most how many characters of a line are kept
     */
    Lines(Reader text, int most) {
        this.text = text;
        this.most = most;
    }

    /** The next line, without its end; null behind the last one. */
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
