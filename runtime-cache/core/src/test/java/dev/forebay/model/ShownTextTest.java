package dev.forebay.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ShownTextTest {

    @Test
    void visibleCharactersAreNotEscaped() {
        assertThat(ShownText.of("a b/ä한-'\\.txt")).isEqualTo("a b/ä한-'\\.txt");
    }

    @Test
    void invisibleCharactersAreEscaped() {
        assertThat(ShownText.of("\ufeffa\u200bb\u00a0c\td\u0000\u2028"))
                .isEqualTo("\\ufeffa\\u200bb\\u00a0c\\u0009d\\u0000\\u2028");
        assertThat(ShownText.of("\ud83d")).isEqualTo("\\ud83d");
    }

    @Test
    void longTextIsCutOff() {
        assertThat(ShownText.of("x".repeat(200))).isEqualTo("x".repeat(200));
        assertThat(ShownText.of("x".repeat(201))).isEqualTo("x".repeat(200) + "…");
    }
}
