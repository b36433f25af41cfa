package dev.forebay.model;

import java.util.regex.Pattern;

/**
 * Quotes values for commands that a person can paste from a message into a shell.
 *
 * <p>Messages put such commands between apostrophes, so this class prefers double quotes.
 */
public final class ShellWord {

    private static final Pattern BARE = Pattern.compile("[A-Za-z0-9_@%+=:,./-]+");
    private static final Pattern SPECIAL_WITHIN_QUOTES = Pattern.compile("[\"$`\\\\!]");

    private ShellWord() {}

    /** Returns the value as one word of a shell command. */
    public static String of(String value) {
        if (BARE.matcher(value).matches()) {
            return value;
        }
        return SPECIAL_WITHIN_QUOTES.matcher(value).find()
                ? "'" + value.replace("'", "'\\''") + "'"
                : '"' + value + '"';
    }
}
