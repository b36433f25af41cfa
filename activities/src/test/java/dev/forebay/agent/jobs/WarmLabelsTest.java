package dev.forebay.agent.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.RegionName;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Labels are valid for all possible names, and unique for each version. */
class WarmLabelsTest {

    private static final RegionName LONGEST = new RegionName("r".repeat(63));

    /** Kubernetes' rules: for the prefix of a key, its name, and a value. */
    private static final Pattern SUBDOMAIN =
            Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");

    private static final Pattern NAME =
            Pattern.compile("([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)");

    /** Fixed here because pods and nodes store labels: a later release must produce the same. */
    @Example
    void theLabelOfAVersionIsTheSameInEveryRelease() {
        assertThat(
                        new WarmLabels(new RegionName("us-east-1"))
                                .of(List.of(DatasetVersion.parse("search/ko-bert@2026-11-20"))))
                .isEqualTo(
                        Map.of(
                                "us-east-1.warm.forebay.dev/23b3d060a21246d97acfd4c3",
                                "search_ko-bert_2026-11-20"));
    }

    @Property
    void everyVersionHasAValidLabel(@ForAll("versions") DatasetVersion version) {
        WarmLabels labels = new WarmLabels(LONGEST);

        labels.of(List.of(version))
                .forEach(
                        (key, value) -> {
                            assertThat(key).startsWith(labels.prefix());
                            String[] parts = key.split("/", -1);
                            assertThat(parts).hasSize(2);
                            assertThat(parts[0]).matches(SUBDOMAIN).hasSizeLessThanOrEqualTo(253);
                            assertThat(parts[1]).matches(NAME);
                            assertThat(value).matches(NAME);
                        });
    }

    /** Some of them differ only in characters that a label cannot contain. */
    @Property
    void differentVersionsHaveDifferentLabels(
            @ForAll("versions") DatasetVersion one, @ForAll("versions") DatasetVersion other) {
        WarmLabels labels = new WarmLabels(LONGEST);

        assertThat(labels.key(one).equals(labels.key(other))).isEqualTo(one.equals(other));
    }

    @Example
    void thePrefixOfARegionMatchesNoLabelOfAnother() {
        DatasetVersion version = DatasetVersion.parse("a/b@v1");
        String prefix = new WarmLabels(new RegionName("east")).prefix();

        assertThat(new WarmLabels(new RegionName("us-east")).key(version)).doesNotStartWith(prefix);
        assertThat(new WarmLabels(new RegionName("east-2")).key(version)).doesNotStartWith(prefix);
    }

    @Provide
    Arbitrary<DatasetVersion> versions() {
        Arbitrary<String> part =
                Arbitraries.strings()
                        .withChars("ab._-")
                        .ofMinLength(1)
                        .ofMaxLength(63)
                        .filter(text -> text.matches("[ab]([ab._-]*[ab])?"));
        Arbitrary<String> version =
                Arbitraries.strings().withChars("Ab1._-").ofMaxLength(126).map(rest -> "v" + rest);
        Arbitrary<String> shortest = Arbitraries.of("a", "b", "a.b", "a_b");
        return Combinators.combine(
                        Arbitraries.oneOf(shortest, part),
                        Arbitraries.oneOf(shortest, part),
                        Arbitraries.oneOf(Arbitraries.of("v", "v_a"), version))
                .as(DatasetVersion::of);
    }
}
