package dev.forebay.fuse;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Captures what this process logs. One thread at a time may use it. */
public final class CapturedLog implements AutoCloseable {

    private final PrintStream usual = System.err;
    private final ByteArrayOutputStream said = new ByteArrayOutputStream();

    public CapturedLog() {
        System.setErr(new PrintStream(said, true, StandardCharsets.UTF_8));
    }

    /** Returns the lines so far that contain a text. */
    public List<String> linesWith(String text) {
        return said.toString(StandardCharsets.UTF_8)
                .lines()
                .filter(line -> line.contains(text))
                .toList();
    }

    @Override
    public void close() {
        System.setErr(usual);
    }
}
