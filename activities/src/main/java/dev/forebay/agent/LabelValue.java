package dev.forebay.agent;

import org.eclipse.microprofile.config.spi.Converter;

/** A label's value as it is: an empty one says something, too, as those of roles of nodes do. */
public final class LabelValue implements Converter<String> {

    @Override
    public String convert(String value) {
        return value;
    }
}
