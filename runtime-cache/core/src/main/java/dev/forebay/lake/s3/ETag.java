package dev.forebay.lake.s3;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a store says of an object's content; see RFC 9110, section 8.8.3.
 *
 * @param value without quotes; a weak one with its {@code W/}
 */
record ETag(String value) {

    private static final String MODIFIED = "modified ";
    private static final String WEAK = "W/";

    /** What may be between the quotes. */
    private static final Pattern CHARACTERS = Pattern.compile("[\\x21\\x23-\\x7e\\x80-\\xff]+");

    /**
     * Of a header or of an entry of a listing, with quotes or without; null where there is none.
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
     * What stands for the ETag of an object that has none, or a weak one: when it was written last,
     * in whole seconds, as headers have it. No ETag has a blank.
     */
    static String ofTime(Instant modified) {
        return MODIFIED + modified.truncatedTo(ChronoUnit.SECONDS);
    }

    /** What a proxy makes of an object's ETag when it changes how the body is sent. */
    static String weakened(String value) {
        return WEAK + value;
    }

    /** The time that {@link #ofTime} has put in an ETag's place; null for an ETag. */
    static @Nullable Instant time(String text) {
        return text.startsWith(MODIFIED) ? Instant.parse(text.substring(MODIFIED.length())) : null;
    }

    /** Whether a read can be made on condition of it: no condition holds for a weak one. */
    boolean isStrong() {
        return !value.startsWith(WEAK) && CHARACTERS.matcher(value).matches();
    }
}
