package dev.forebay.fuse.options;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import picocli.CommandLine;

/** Parses options that are lists of paths, in which {@code \,} stands for a comma in a path. */
final class ListedPathConverter implements CommandLine.ITypeConverter<Path> {

    /** The separator of paths, for the option's {@code split}. */
    static final String COMMA = "(?<!\\\\),";

    @Override
    public Path convert(String value) {
        try {
            return Path.of(value.replace("\\,", ","));
        } catch (InvalidPathException e) {
            throw new CommandLine.TypeConversionException(
                    "'%s' is not a path: %s".formatted(value, e.getReason()));
        }
    }
}
