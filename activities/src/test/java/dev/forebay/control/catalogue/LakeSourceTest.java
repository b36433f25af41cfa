package dev.forebay.control.catalogue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.model.DatasetName;
import dev.forebay.model.ForebayException;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LakeSourceTest {

    @ParameterizedTest
    @ValueSource(
            strings = {"s3://lake/", "s3://lake/a/", "s3://my.lake-1/a b/ü/", "s3://lake/a//b/"})
    void aParsedUriPrintsAsItself(String uri) {
        assertThat(LakeSource.parse(uri)).hasToString(uri);
    }

    @Test
    void theWholeBucketHasAnEmptyPrefix() {
        assertThat(LakeSource.parse("s3://lake/")).isEqualTo(new LakeSource("lake", ""));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "lake/a/",
                "s3://lake",
                "s3://lake/a",
                "s3:///a/",
                "s3://LAKE/a/",
                "s3://l/a/",
                "http://lake/a/",
                "s3://lake/a\u0000/"
            })
    void parseRefusesAnInvalidUri(String uri) {
        assertThatThrownBy(() -> LakeSource.parse(uri))
                .isInstanceOf(ForebayException.class)
                .hasMessageContaining("must be s3://bucket/prefix/");
    }

    @Test
    void patternsAndKeysArePartOfASource() {
        LakeSource all = LakeSource.parse("s3://lake/a/");
        LakeSource chosen = all.with(List.of("x/**"), List.of(), "s3://lists/of/keys.txt");

        assertThat(chosen).isNotEqualTo(all).hasToString("s3://lake/a/");
        assertThat(chosen.describe())
                .isEqualTo("s3://lake/a/, include [x/**], keys s3://lists/of/keys.txt");
        assertThat(chosen.keysAddress()).isEqualTo(new LakeSource.Address("lists", "of/keys.txt"));
        assertThat(all.keysAddress()).isNull();
    }

    @Test
    void theRegisterCommandContainsAllPatternsAndKeys() {
        LakeSource chosen =
                LakeSource.parse("s3://lake/a b/")
                        .with(List.of("x/**"), List.of("*.tmp"), "s3://lists/keys.txt");

        assertThat(commandWithout(chosen, "a/*/b", "*.tmp"))
                .isEqualTo(
                        "forebay datasets register team/x-2 \"s3://lake/a b/\" --include \"x/**\" --exclude \"*.tmp\" --exclude \"a/*/b\" --keys s3://lists/keys.txt");
        assertThat(commandWithout(LakeSource.parse("s3://lake/a/"), "-x/**"))
                .endsWith(" --exclude=\"-x/**\"");
    }

    @Test
    void withoutReturnsEmptyAboveTheMaximumNumberOfPatterns() {
        List<String> most =
                IntStream.range(0, LakeSource.MOST_PATTERNS).mapToObj(i -> "x" + i).toList();
        LakeSource full = LakeSource.parse("s3://lake/a/").with(List.of(), most, null);

        assertThat(full.without(List.of("x0"))).contains(full);
        assertThat(full.without(List.of("y"))).isEmpty();
    }

    private static String commandWithout(LakeSource source, String... patterns) {
        return source.without(List.of(patterns))
                .orElseThrow()
                .registration(DatasetName.parse("team/x-2"));
    }

    @Test
    void withRefusesInvalidPatternsAndKeys() {
        LakeSource all = LakeSource.parse("s3://lake/a/");
        assertThatThrownBy(() -> all.with(List.of("/x"), List.of(), null))
                .hasMessageStartingWith("include '/x' must be relative");
        assertThatThrownBy(() -> all.with(List.of(), List.of(), "s3://lake/a/"))
                .hasMessageStartingWith("keys 's3://lake/a/' must be");
    }
}
