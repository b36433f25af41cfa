package dev.forebay.images;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.devstack.program.AotCache;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Checks that the chart runs the images that this module writes. */
class ChartAgreesTest {

    private static final Pattern IMAGE =
            Pattern.compile("include \"forebay.image\" \\(list [.$] \"([a-z]+)\"\\)");
    private static final Pattern USER = Pattern.compile("runAsUser: (\\d+)");
    private static final Pattern AOT_CACHE = Pattern.compile("-XX:AOTCache=(\\S+)");
    private static final Pattern COMMAND = Pattern.compile("(?m)^ *command:");

    @Test
    void theChartRunsExactlyTheseImages() throws IOException {
        assertThat(found(IMAGE, templates()))
                .isEqualTo(Program.ALL.stream().map(Program::name).collect(Collectors.toSet()));
    }

    @Test
    void theImagesHaveTheUsersOfTheChart() throws IOException {
        Set<String> users =
                Program.ALL.stream()
                        .map(program -> program.user().replaceFirst(":.*", ""))
                        .collect(Collectors.toSet());
        assertThat(found(USER, templates())).isEqualTo(users);
    }

    @Test
    void theChartDoesNotOverrideEntryPoints() throws IOException {
        for (Path template : files()) {
            String text = Files.readString(template);
            if (IMAGE.matcher(text).find()) {
                assertThat(text).as("%s", template).doesNotContainPattern(COMMAND);
            }
        }
    }

    @Test
    void theChartNamesExactlyTheAotCachesThatAreMade() throws IOException {
        Set<String> made =
                Arrays.stream(dev.forebay.devstack.program.Program.values())
                        .map(role -> AotCache.of(role, Path.of(Application.PLACE, "any.jar")))
                        .map(cache -> cache.file().toString())
                        .collect(Collectors.toSet());
        Set<String> named = found(AOT_CACHE, templates());
        Program.ALL.forEach(program -> named.add(program.aotCache().toString()));

        assertThat(named).isEqualTo(made);
    }

    private static Set<String> found(Pattern pattern, String text) {
        return pattern.matcher(text)
                .results()
                .map(match -> match.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static String templates() throws IOException {
        StringBuilder all = new StringBuilder();
        for (Path template : files()) {
            all.append(Files.readString(template));
        }
        return all.toString();
    }

    private static Iterable<Path> files() throws IOException {
        try (Stream<Path> tree = Files.walk(Path.of("../forebay/templates"))) {
            return tree.filter(Files::isRegularFile).toList();
        }
    }
}
