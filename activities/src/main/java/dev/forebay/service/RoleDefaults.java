package dev.forebay.service;

import io.smallrye.config.ConfigSourceContext;
import io.smallrye.config.ConfigSourceFactory;
import io.smallrye.config.ConfigValue;
import io.smallrye.config.PropertiesConfigSource;
import java.util.List;
import java.util.Map;
import org.eclipse.microprofile.config.spi.ConfigSource;

/**
 * Disables the database in an agent, so that {@code forebay.role} alone selects the role.
 *
 * <p>Quarkus decides at its start, from properties, which extensions are active. This source adds
 * those properties below all settings of a person.
 */
public final class RoleDefaults implements ConfigSourceFactory {

    private static final int BELOW_APPLICATION_PROPERTIES = 200;

    private static final Map<String, String> WITHOUT_DATABASE =
            Map.of(
                    "quarkus.datasource.active", "false",
                    "quarkus.hibernate-orm.active", "false",
                    "quarkus.flyway.active", "false",
                    "quarkus.flyway.migrate-at-start", "false");

    @Override
    public Iterable<ConfigSource> getConfigSources(ConfigSourceContext context) {
        ConfigValue role = context.getValue("forebay.role");
        boolean agent = role != null && Role.AGENT_NAME.equals(role.getValue());
        return agent
                ? List.of(
                        new PropertiesConfigSource(
                                WITHOUT_DATABASE, "role defaults", BELOW_APPLICATION_PROPERTIES))
                : List.of();
    }
}
