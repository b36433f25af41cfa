package dev.forebay.model;

import java.util.regex.Pattern;

/**
 * How messages show a value in a command that a person can paste into a shell.
 *
 * <p>Such commands stand between apostrophes in messages, so quotation marks are preferred.
 */
public final class ShellWord {

    private static final Pattern BARE = Pattern.compile("[A-Za-z0-9_@%+=:,./-]+");
    private static final Pattern SPECIAL_WITHIN_QUOTES = Pattern.compile("[\"$`\\\\!]");

    private ShellWord() {}

    /** Returns the value as one word of a shell. */
    public static String of(String value) {
        if (BARE.matcher(value).matches()) {
            return value;
        }
        return SPECIAL_WITHIN_QUOTES.matcher(value).find()
                ? "'" + value.replace("'", "'\\''") + "'"
                : '"' + value + '"';
    }
}
