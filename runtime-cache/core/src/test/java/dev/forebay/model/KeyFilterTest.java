package dev.forebay.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class KeyFilterTest {

    @ParameterizedTest
    @CsvSource({
        "*.jpg, a.jpg, true",
        "*.jpg, .jpg, true",
        "*.jpg, a.jpg.tmp, false",
        "*.jpg, d/a.jpg, false",
        "**/*.jpg, a.jpg, true",
        "**/*.jpg, d/e/a.jpg, true",
        "train/**, train/a, true",
        "train/**, train/d/a, true",
        "train/**, train, true",
        "train/**, train2/a, false",
        "**, any/thing, true",
        "a/**/z, a/z, true",
        "a/**/z, a/b/c/z, true",
        "a/**/z, a/b/z/c, false",
        "a/**/b/**/z, a/x/b/y/b/z, true",
        "part-????, part-0001, true",
        "part-????, part-001, false",
        "?, ä, true",
        "?, 😀, true",
        "??, 😀, false",
        "*a*a*b, aaaaab, true",
        "*a*a*b, aaaaac, false",
        "a.b, axb, false",
        "2026-*/**, 2026-11/d/f, true",
    })
    void aPatternMatchesAsDocumented(String pattern, String key, boolean matches) {
        assertThat(KeyFilter.of(List.of(pattern), List.of()).accepts(key)).isEqualTo(matches);
        assertThat(KeyFilter.of(List.of(), List.of(pattern)).accepts(key)).isEqualTo(!matches);
    }

    @Test
    void excludePatternsTakePrecedenceOverIncludePatterns() {
        KeyFilter filter = KeyFilter.of(List.of("train/**", "val/**"), List.of("**/*.tmp"));

        assertThat(filter.accepts("train/a")).isTrue();
        assertThat(filter.accepts("val/d/a")).isTrue();
        assertThat(filter.accepts("test/a")).isFalse();
        assertThat(filter.accepts("train/a.tmp")).isFalse();
    }

    @Test
    void aDirectoryKeyIsMatchedWithoutItsTrailingSlash() {
        KeyFilter filter = KeyFilter.of(List.of(), List.of("tmp/**"));

        assertThat(filter.accepts("tmp/")).isFalse();
        assertThat(filter.accepts("train/")).isTrue();
        assertThat(filter.accepts("")).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "train/**, train",
        "train/*.jpg, train/",
        "train/a.jpg, train/a.jpg",
        "train/part-?/x, train/part-",
        "**/x, ''",
        "*, ''",
    })
    void literalPrefixReturnsTheFixedStartOfAPattern(String pattern, String prefix) {
        assertThat(KeyFilter.of(List.of(pattern), List.of()).literalPrefix()).isEqualTo(prefix);
    }

    @Test
    void literalPrefixReturnsTheCommonStartOfSeveralPatterns() {
        assertThat(KeyFilter.of(List.of("train/a/**", "train/b/**"), List.of()).literalPrefix())
                .isEqualTo("train/");
        assertThat(KeyFilter.of(List.of("train/a/**", "val/**"), List.of()).literalPrefix())
                .isEmpty();
        assertThat(KeyFilter.of(List.of("😀/**", "😁/**"), List.of()).literalPrefix()).isEmpty();
        assertThat(KeyFilter.of(List.of(), List.of("train/**")).literalPrefix()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "", "/a", "a/", "a//b", "a/./b", "..", "a**", "**b/c", "[ab]", "{a,b}", "a\\b",
                "a\nb"
            })
    void anInvalidPatternIsRefusedWithFieldValueAndRule(String pattern) {
        assertThatThrownBy(() -> KeyFilter.of(List.of(), List.of(pattern)))
                .isInstanceOfSatisfying(
                        ForebayException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
                .hasMessageStartingWith("exclude '" + pattern + "' must ");
    }

    @Test
    void aPatternOfManyStarsMatchesInBoundedTime() {
        String pattern = "*a".repeat(100) + "/" + "**/*a*/".repeat(50) + "z";
        String key = "a".repeat(250) + "/" + "a/".repeat(400) + "y";
        KeyFilter filter = KeyFilter.of(List.of(pattern), List.of());

        Assertions.assertTimeout(
                Duration.ofSeconds(20), () -> assertThat(filter.accepts(key)).isFalse());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a//b",
                "/b",
                "a/../b",
                "./b",
                "full/",
                "a//",
                "x[1]{2}/*?\\",
                "nul\0byte",
                "it's \"$HOME\" `x`!",
                "**",
                "\u202eabc/\u200b",
                "\ud83d\ude00/é"
            })
    void excludingReturnsAPatternThatMatchesTheKey(String key) {
        String pattern = KeyFilter.excluding(key);

        assertThat(KeyFilter.violation(pattern)).isEmpty();
        KeyFilter filter = KeyFilter.of(List.of(), List.of(pattern));
        assertThat(filter.accepts(key)).as(pattern).isFalse();
        assertThat(filter.accepts("good/file.jpg")).isTrue();
        assertThat(ShellWord.of(pattern)).doesNotContain("'");
    }
}
