package dev.forebay.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BearerTokenTest {

    @TempDir private Path directory;

    @Test
    void admitsOnlyItself() throws Exception {
        BearerToken token = BearerToken.read("--token-file", file("0123456789abcdef\n"));
        assertThat(token.admits("Bearer 0123456789abcdef")).isTrue();
        assertThat(token.admits(token.headerValue())).isTrue();
        assertThat(token.admits("Bearer 0123456789abcdeg")).isFalse();
        assertThat(token.admits("0123456789abcdef")).isFalse();
        assertThat(token.admits("")).isFalse();
        assertThat(token.admits(null)).isFalse();
        assertThat(token.toString()).doesNotContain("0123");
    }

    @Test
    void refusesFilesThatHoldNoToken() throws Exception {
        for (String content :
                new String[] {"", "short", "with a space 0123456", "ümläut0123456789"}) {
            Path file = file(content);
            assertThatThrownBy(() -> BearerToken.read("--token-file", file))
                    .hasMessageStartingWith("--token-file: ");
        }
        assertThatThrownBy(() -> BearerToken.read("--token-file", directory.resolve("none")))
                .hasMessageContaining("cannot read");
    }

    @Test
    void listeningBeyondLoopbackNeedsAToken() throws Exception {
        assertThat(BearerToken.forListener(Optional.empty(), "127.0.0.1")).isEmpty();
        assertThat(BearerToken.forListener(Optional.of(file("0123456789abcdef")), "0.0.0.0"))
                .isPresent();
        assertThatThrownBy(() -> BearerToken.forListener(Optional.empty(), "0.0.0.0"))
                .hasMessageContaining("forebay.token-file");
    }

    private Path file(String content) throws Exception {
        return Files.writeString(directory.resolve("token"), content);
    }
}
