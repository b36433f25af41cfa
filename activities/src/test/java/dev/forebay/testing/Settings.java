package dev.forebay.testing;

import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.util.Map;

/** The settings of a process, in memory. */
public final class Settings {

    private static final int ORDINAL = 100;

    private Settings() {}

    /** Returns the settings that these properties give, as Quarkus reads them at a start. */
    public static <T> T of(Class<T> mapping, Map<String, String> properties) {
        return new SmallRyeConfigBuilder()
                .addDefaultInterceptors()
                .addDiscoveredConverters()
                .addSystemSources()
                .withMapping(mapping)
                .withMappingIgnore("forebay.**")
                .withMappingIgnore("quarkus.**")
                .withSources(new PropertiesConfigSource(properties, "test", ORDINAL))
                .build()
                .getConfigMapping(mapping);
    }
}
