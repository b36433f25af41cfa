package dev.forebay.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.agent.config.AgentConfig;
import dev.forebay.control.config.ControlPlaneConfig;
import dev.forebay.control.figures.FiguresConfig;
import dev.forebay.control.ledger.LedgerConfig;
import dev.forebay.control.prices.PricesConfig;
import dev.forebay.operator.OperatorConfig;
import io.smallrye.config.ConfigMappings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every setting is in docs/configuration.md, with its default. */
class ConfigurationDocTest {

    @ParameterizedTest
    @ValueSource(
            classes = {
                ServiceConfig.class,
                ControlPlaneConfig.class,
                PricesConfig.class,
                LedgerConfig.class,
                FiguresConfig.class,
                AgentConfig.class,
                OperatorConfig.class
            })
    void theDocumentNamesEverySettingAndItsDefault(Class<?> mapping) throws IOException {
        List<String> rows = Files.readAllLines(Path.of("../docs/configuration.md"));

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
