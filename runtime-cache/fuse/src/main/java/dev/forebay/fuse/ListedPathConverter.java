package dev.forebay.fuse;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import picocli.CommandLine;

/** Lets options be lists of paths, in which a comma of a path is written {@code \,}. */
final class ListedPathConverter implements CommandLine.ITypeConverter<Path> {

    /** Between two paths, for the option's {@code split}. */
    static final String COMMA = "(?<!\\\\),";

    @Override
    public Path convert(String value) {
        try {
            return Path.of(value.replace("\\,", ","));
        } catch (InvalidPathException e) {
            throw new CommandLine.TypeConversionException(
                    "'%s' is no path: %s".formatted(value, e.getReason()));
        }
    }
}
