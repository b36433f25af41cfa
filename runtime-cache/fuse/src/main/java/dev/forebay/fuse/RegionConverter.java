package dev.forebay.fuse;

import dev.forebay.model.ForebayException;
import dev.forebay.model.RegionName;
import picocli.CommandLine;

/** Lets options be names of regions. */
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
