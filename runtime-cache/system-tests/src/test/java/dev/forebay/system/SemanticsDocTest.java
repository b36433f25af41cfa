package dev.forebay.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Checks that every section of docs/semantics.md names its tests, and that one of them quotes its
 * heading.
 */
class SemanticsDocTest {

    private static final Path REPOSITORY = Path.of("../..");
    private static final Pattern SECTION =
            Pattern.compile("^### (.+?)\n(.+?)(?=^##|\\z)", Pattern.MULTILINE | Pattern.DOTALL);
    private static final Pattern TESTS = Pattern.compile("\\*(`\\w+`(?:,\\s+`\\w+`)*)\\*\\s*\\z");

    private final Map<String, String> sources = testSources();

    private static Map<String, String> testSources() {
        Map<String, String> sources = new TreeMap<>();
        for (String module : List.of("runtime-cache", "activities", "workflows")) {
            try (Stream<Path> files = Files.walk(REPOSITORY.resolve(module))) {
                for (Path file : (Iterable<Path>) files::iterator) {
                    if (file.toString().contains("/src/test/java/")
                            && file.toString().endsWith(".java")) {
                        String name = file.getFileName().toString().replace(".java", "");
                        // Joins the lines of a comment, because a quotation may span several.
                        String text = Files.readString(file).replaceAll("\\s*\n\\s*(\\* )?", " ");
                        sources.merge(name, text, String::concat);
                    }
                }
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }
        return sources;
    }

    private static Map<String, String> sections() throws IOException {
        Map<String, String> sections = new TreeMap<>();
        Matcher section =
                SECTION.matcher(Files.readString(REPOSITORY.resolve("docs/semantics.md")));
        while (section.find()) {
            sections.put(section.group(1), section.group(2));
        }
        return sections;
    }

    @TestFactory
    List<DynamicTest> eachSectionIsQuotedByATestThatItNames() throws IOException {
        List<DynamicTest> tests = new ArrayList<>();
        sections()
                .forEach(
                        (heading, text) ->
                                tests.add(dynamicTest(heading, () -> isQuoted(heading, text))));
        return tests;
    }

    @Test
    void theDocumentHasSections() throws IOException {
        assertThat(sections()).hasSizeGreaterThan(30);
    }

    private void isQuoted(String heading, String text) {
        Matcher named = TESTS.matcher(text);
        assertThat(named.find()).as("tests are named at the end of: %s", text).isTrue();
        List<String> names = List.of(named.group(1).replaceAll("[`\\s]", "").split(","));
        assertThat(names).as("tests that exist").allMatch(sources::containsKey);
        assertThat(names)
                .as("quote \"%s\"", heading)
                .anyMatch(name -> sources.getOrDefault(name, "").contains('"' + heading + '"'));
    }
}
