package dev.forebay.images;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.cyclonedx.model.Component;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AdvisoriesTest {

    private static final String ROW =
            "CVE-2000-1234\tpkg:maven/g/a\t2.0.0.Final\t2.1.10.Final\tcrashes\t-";

    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource({
        "1.9.9.Final, false",
        "2.0.0.Final, true",
        "2.1.9.Final, true",
        "2.1.10.Final, false",
        "2.1.11.Final, false",
        "10.0.0.Final, false"
    })
    void anAdvisoryMatchesTheVersionsInItsRange(String version, boolean found) {
        List<String> findings =
                Advisories.parse(ROW)
                        .findings("worker", List.of(library("pkg:maven/g/a", version)));

        assertThat(findings).hasSize(found ? 1 : 0);
    }

    @Test
    void aFindingNamesTheLibraryTheAdvisoryAndTheFix() {
        assertThat(
                        Advisories.parse(ROW)
                                .findings(
                                        "worker", List.of(library("pkg:maven/g/a", "2.1.0.Final"))))
                .containsExactly(
                        "worker: pkg:maven/g/a@2.1.0.Final has CVE-2000-1234: crashes. Take"
                                + " 2.1.10.Final or later");
    }

    @Test
    void eachReleaseLineMayHaveItsOwnRange() {
        Advisories both = Advisories.parse(ROW + "\n" + ROW.replace("\t2.", "\t3."));

        assertThat(both.findings("worker", List.of(library("pkg:maven/g/a", "3.0.5")))).hasSize(1);
        assertThat(both.findings("worker", List.of(library("pkg:maven/g/a", "2.5")))).isEmpty();
    }

    @Test
    void anAdvisoryWithoutAFixMatchesEveryLaterVersion() {
        Advisories open = Advisories.parse(ROW.replace("2.1.10.Final", "-"));

        assertThat(open.findings("worker", List.of(library("pkg:maven/g/a", "99"))))
                .singleElement()
                .asString()
                .endsWith("There is no fix yet");
    }

    @Test
    void anAcceptedAdvisoryIsIgnoredOnlyForItsProgram() {
        Advisories accepted = Advisories.parse(ROW.replaceFirst("-$", "fuse: it has no server"));
        List<Component> affected = List.of(library("pkg:maven/g/a", "2.1.0.Final"));

        assertThat(accepted.findings("fuse", affected)).isEmpty();
        assertThat(accepted.findings("worker", affected)).hasSize(1);
    }

    @Test
    void anAdvisoryDoesNotMatchAnotherLibrary() {
        assertThat(
                        Advisories.parse(ROW)
                                .findings(
                                        "worker",
                                        List.of(library("pkg:maven/g/ab", "2.1.0.Final"))))
                .isEmpty();
    }

    @Test
    void theSuffixOfGuavaIsNotAnEarlierVersion() {
        String row = "CVE-2023-2976\tpkg:maven/com.google.guava/guava\t1.0\t32.0.0\treads\t-";

        assertThat(
                        Advisories.parse(row)
                                .findings(
                                        "worker",
                                        List.of(
                                                library(
                                                        "pkg:maven/com.google.guava/guava",
                                                        "32.0.0-jre"))))
                .isEmpty();
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            value = {
                "CVE-2000-1234 pkg:maven/g/a 1 2 crashes | six columns",
                "CVE-2000 pkg:maven/g/a 1 2 crashes - | id of a CVE",
                "CVE-2000-1234 g:a 1 2 crashes - | package URL",
                "CVE-2000-1234 pkg:maven/g/a 2 2 crashes - | later than column 3",
                "CVE-2000-1234 pkg:maven/g/a 3 2 crashes - | later than column 3",
                "CVE-2000-1234 pkg:maven/g/a 1 2 crashes never | a program, a colon and a reason"
            })
    void anErrorShowsTheInvalidLineAndTheRule(String row, String rule) {
        String line = row.replace(' ', '\t');

        assertThatThrownBy(() -> Advisories.parse("# list\n" + line))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(line)
                .hasMessageContaining(rule);
    }

    /** The findings at the time when this check was introduced. */
    @ParameterizedTest(name = "{0} {1}: {2}")
    @CsvSource({
        "pkg:maven/io.netty/netty-codec-http, 4.1.130.Final, CVE-2026-33870",
        "pkg:maven/io.netty/netty-codec-http2, 4.1.130.Final, CVE-2026-33871",
        "pkg:maven/io.netty/netty-codec-http2, 4.2.9.Final, CVE-2026-33871",
        "pkg:maven/com.fasterxml.jackson.core/jackson-databind, 2.21.1, CVE-2026-54512",
        "pkg:maven/org.postgresql/postgresql, 42.7.10, CVE-2026-42198",
        "pkg:maven/io.vertx/vertx-core, 4.5.25, CVE-2026-6860",
        "pkg:maven/io.quarkus/quarkus-vertx-http, 3.32.1, CVE-2026-39852"
    })
    void theListHasTheVulnerabilitiesFoundEarlier(String library, String version, String id)
            throws Exception {
        assertThat(Advisories.read().findings("worker", List.of(library(library, version))))
                .anySatisfy(finding -> assertThat(finding).contains(id));
    }

    static Component library(String library, String version) {
        Component component = new Component();
        component.setGroup(library.replaceFirst("pkg:maven/(.*)/.*", "$1"));
        component.setName(library.replaceFirst(".*/", ""));
        component.setPurl(library + "@" + version + "?type=jar");
        component.setVersion(version);
        return component;
    }
}
