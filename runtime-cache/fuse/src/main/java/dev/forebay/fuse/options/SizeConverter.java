package dev.forebay.fuse.options;

import picocli.CommandLine;

/** Parses options that are sizes. */
final class SizeConverter implements CommandLine.ITypeConverter<ByteSize> {

    @Override
    public ByteSize convert(String value) {
        try {
            return ByteSize.parse(value);
        } catch (IllegalArgumentException e) {
            throw new CommandLine.TypeConversionException(e.getMessage());
        }
    }
}
