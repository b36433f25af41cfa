package dev.forebay.lake.walk;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Reader;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LinesTest {

    private static List<String> lines(Reader text, int most) throws IOException {
        List<String> read = new ArrayList<>();
        try (Lines lines = new Lines(text, most)) {
            for (String line = lines.next(); line != null; line = lines.next()) {
                read.add(line);
            }
        }
        return read;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "\n", "a", "a\n", "a\nb", "\n\na", "a\r\nb\r\n", "a\rb", "\r\r\n\n\r"})
    void linesMatchThoseOfABufferedReader(String text) throws IOException {
        assertThat(lines(new StringReader(text), 10))
                .isEqualTo(new BufferedReader(new StringReader(text)).lines().toList());
    }

    @Test
    void aZeroByteEndsNoLine() throws IOException {
        assertThat(lines(new StringReader("\0a\0b\n\0"), 10)).containsExactly("\0a\0b", "\0");
    }

    @Test
    void closeClosesTheText() throws IOException {
        AtomicBoolean closed = new AtomicBoolean();
        Reader text =
                new StringReader("a") {
                    @Override
                    public void close() {
                        closed.set(true);
                    }
                };
        new Lines(text, 10).close();
        assertThat(closed).isTrue();
    }

    /** The list may turn out to be a binary file. */
    @Test
    void anEndlessLineIsCutOff() throws IOException {
        Reader endless =
                new Reader() {
                    private int left = 16 << 20;

                    @Override
                    public int read(char[] target, int from, int count) {
                        Arrays.fill(target, from, from + count, 'x');
                        left -= count;
                        return left > 0 ? count : -1;
                    }

                    @Override
                    public void close() {}
                };

        assertThat(lines(new BufferedReader(endless), 5)).containsExactly("xxxxx");
    }
}
