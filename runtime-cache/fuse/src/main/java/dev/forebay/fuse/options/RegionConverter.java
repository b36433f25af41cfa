package dev.forebay.fuse.options;

import dev.forebay.model.ForebayException;
import dev.forebay.model.RegionName;
import picocli.CommandLine;

/** Parses options that are names of regions. */
final class RegionConverter implements CommandLine.ITypeConverter<RegionName> {

    @Override
    public RegionName convert(String value) {
        try {
            return new RegionName(value);
        } catch (ForebayException e) {
            throw new CommandLine.TypeConversionException(e.getMessage());
        }
    }
}
