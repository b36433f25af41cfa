package dev.forebay.agent.config;

import org.eclipse.microprofile.config.spi.Converter;

/**
 * Converts a label's value without change. An empty value is valid, as in the role labels of nodes.
 */
public final class LabelValue implements Converter<String> {

    @Override
    public String convert(String value) {
        return value;
    }
}
