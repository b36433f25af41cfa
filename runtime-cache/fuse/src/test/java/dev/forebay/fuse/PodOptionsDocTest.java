package dev.forebay.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.fuse.options.EtcdOptions;
import dev.forebay.fuse.options.NodeOptions;
import dev.forebay.fuse.options.PodOptions;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.Option;

/** Checks that docs/configuration.md has every option, with its variable and its default. */
class PodOptionsDocTest {

    private static final Pattern VARIABLE = Pattern.compile("\\$\\{env:(\\w+)(?::-(.*))?}");

    @ParameterizedTest
    @ValueSource(
            classes = {
                PodOptions.class,
                EtcdOptions.class,
                NodeOptions.class,
                Hold.class,
                Csi.class,
                HealthOptions.class
            })
    void theDocumentNamesEveryOptionItsVariableAndItsDefault(Class<?> options) throws IOException {
        List<String> rows = Files.readAllLines(Path.of("../../docs/configuration.md"));

        // From the annotations: picocli's own model has the variables replaced already.
        for (Field field : options.getDeclaredFields()) {
            Option option = field.getAnnotation(Option.class);
            if (option == null) {
                continue;
            }
            Matcher given = VARIABLE.matcher(option.defaultValue());
            assertThat(given.matches()).as(option.defaultValue()).isTrue();
            String row = "| `%s` | `%s` |".formatted(option.names()[0], given.group(1));
            String value = given.group(2);
            String cell =
                    value == null || value.equals(Option.NULL_VALUE) ? "|" : "| `" + value + "` |";
            assertThat(rows.stream().filter(line -> line.startsWith(row)))
                    .as("%s, default %s", row, cell)
                    .anyMatch(line -> line.endsWith(cell));
        }
    }
}
