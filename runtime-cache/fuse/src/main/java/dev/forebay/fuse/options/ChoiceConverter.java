package dev.forebay.fuse.options;

import java.util.Arrays;
import java.util.Locale;
import picocli.CommandLine;

/**
 * Parses an option that is one of several words: an enum constant's name in lower case, with
 * hyphens.
 */
public final class ChoiceConverter<E extends Enum<E>> implements CommandLine.ITypeConverter<E> {

    private final E[] choices;

    public ChoiceConverter(Class<E> type) {
        choices = type.getEnumConstants();
    }

    @Override
    public E convert(String value) {
        String wanted = value.strip().replace('_', '-');
        return Arrays.stream(choices)
                .filter(choice -> word(choice).equalsIgnoreCase(wanted))
                .findAny()
                .orElseThrow(
                        () ->
                                new CommandLine.TypeConversionException(
                                        "'%s' is none of %s"
                                                .formatted(
                                                        value,
                                                        String.join(
                                                                ", ",
                                                                Arrays.stream(choices)
                                                                        .map(ChoiceConverter::word)
                                                                        .toList()))));
    }

    /** Returns the word for the command line. */
    static String word(Enum<?> choice) {
        return choice.name().replace('_', '-').toLowerCase(Locale.ROOT);
    }
}
