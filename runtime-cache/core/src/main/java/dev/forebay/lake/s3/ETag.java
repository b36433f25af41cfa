package dev.forebay.lake.s3;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An entity tag of an object; see RFC 9110, section 8.8.3.
 *
 * @param value without quotes; a weak tag keeps its {@code W/}
 */
record ETag(String value) {

    private static final String MODIFIED = "modified ";
    private static final String WEAK = "W/";

    /** The characters that a tag may have between its quotes. */
    private static final Pattern CHARACTERS = Pattern.compile("[\\x21\\x23-\\x7e\\x80-\\xff]+");

    /**
     * Parses the tag of a header or of a listing's entry, with or without quotes. The value is
     * empty if the text is null.
     */
    static ETag of(@Nullable String text) {
        String tag = text == null ? "" : text;
        boolean weak = tag.startsWith(WEAK);
        String opaque = weak ? tag.substring(WEAK.length()) : tag;
        if (opaque.length() > 1 && opaque.startsWith("\"") && opaque.endsWith("\"")) {
            opaque = opaque.substring(1, opaque.length() - 1);
        }
        return new ETag(weak ? WEAK + opaque : opaque);
    }

    /**
     * Returns a substitute for the ETag of an object that has none, or only a weak one. It contains
     * the time of the last change in whole seconds, the precision of HTTP headers. It has a blank,
     * which no ETag has.
     */
    static String ofTime(Instant modified) {
        return MODIFIED + modified.truncatedTo(ChronoUnit.SECONDS);
    }

    /** Returns the weak form of an ETag. Proxies that change the encoding of a body send it. */
    static String weakened(String value) {
        return WEAK + value;
    }

    /** Returns the time in a substitute made by {@link #ofTime}, or null for an ETag. */
    static @Nullable Instant time(String text) {
        return text.startsWith(MODIFIED) ? Instant.parse(text.substring(MODIFIED.length())) : null;
    }

    /**
     * Returns whether a read can be conditional on this tag. If-Match never holds for a weak tag.
     */
    boolean isStrong() {
        return !value.startsWith(WEAK) && CHARACTERS.matcher(value).matches();
    }
}
