package dev.forebay.fuse.options;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A number of bytes as people write it: {@code 262144}, {@code 256M}, {@code 2G}. */
public record ByteSize(long bytes) {

    private static final Pattern FORM = Pattern.compile("(\\d{1,12})([KMGT]?)(i?B)?");
    private static final String UNITS = "KMGT";

    /**
     * @throws IllegalArgumentException if the text does not have that form
     */
    static ByteSize parse(String text) {
        Matcher matcher = FORM.matcher(text.strip());
        if (!matcher.matches()) {
            throw new IllegalArgumentException(
                    "'%s' is not a size such as 262144, 256M or 2G".formatted(text));
        }
        int power = matcher.group(2).isEmpty() ? 0 : UNITS.indexOf(matcher.group(2)) + 1;
        long number = Long.parseLong(matcher.group(1));
        if (number > Long.MAX_VALUE >> (10 * power)) {
            throw new IllegalArgumentException("'%s' is more than 8E".formatted(text));
        }
        return new ByteSize(number << (10 * power));
    }
}
