package dev.forebay.model;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ShellWordTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "s3://b/a-b_c/",
                "a b",
                "*?",
                "",
                "it's",
                "$HOME",
                "`id`",
                "say \"no\"",
                "back\\slash",
                "a;b|c&d>e",
                "!!",
                "'$x'"
            })
    void aShellReadsAQuotedWordUnchanged(String value) throws Exception {
        Process shell = new ProcessBuilder("sh", "-c", "printf %s " + ShellWord.of(value)).start();

        assertThat(new String(shell.getInputStream().readAllBytes(), UTF_8)).isEqualTo(value);
        assertThat(shell.waitFor()).isZero();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '\0', textBlock = "a/b|a/b\na b|\"a b\"")
    void quotesOnlyWordsThatNeedQuotes(String value, String word) {
        assertThat(ShellWord.of(value)).isEqualTo(word);
    }
}
