package dev.forebay.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.config.ConfigMappings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks that docs/configuration.md lists every setting with its default. */
class ConfigurationDocTest {

    @ParameterizedTest
    @ValueSource(classes = {WorkerConfig.class, LakeConfig.class, RegionEtcdConfig.class})
    void namesEverySettingAndItsDefault(Class<?> mapping) throws IOException {
        List<String> rows = Files.readAllLines(Path.of("../../docs/configuration.md"));

        ConfigMappings.getProperties(ConfigMappings.ConfigClass.configClass(mapping))
                .forEach(
                        (name, property) -> {
                            String plain = name.replace("[*]", "").replace("*", "<name>");
                            String row = "| `" + plain + "` |";
                            String cell =
                                    property.hasDefaultValue()
                                            ? "| `" + property.getDefaultValue() + "` |"
                                            : "|";
                            assertThat(rows.stream().filter(line -> line.startsWith(row)))
                                    .as("%s, default %s", plain, cell)
                                    .anyMatch(line -> line.contains(cell));
                        });
    }
}
