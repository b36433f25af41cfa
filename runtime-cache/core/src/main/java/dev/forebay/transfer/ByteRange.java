package dev.forebay.transfer;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The bytes {@code [from, to)} of a pack. HTTP headers have an inclusive end instead. */
record ByteRange(long from, long to) {

    private static final Pattern CONTENT_RANGE =
            Pattern.compile("bytes (\\d{1,18})-(\\d{1,18})/(\\d{1,18}|\\*)");

    int length() {
        return Math.toIntExact(to - from);
    }

    /** Returns the value of a {@code Range} header. */
    String requested() {
        return "bytes=" + from + "-" + (to - 1);
    }

    /** Parses a {@code Content-Range} header. Returns empty if it is not valid. */
    static Optional<ByteRange> parse(String contentRange) {
        Matcher matcher = CONTENT_RANGE.matcher(contentRange);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        ByteRange range =
                new ByteRange(
                        Long.parseLong(matcher.group(1)), Long.parseLong(matcher.group(2)) + 1);
        return range.to > range.from ? Optional.of(range) : Optional.empty();
    }

    @Override
    public String toString() {
        return "[" + from + ", " + to + ")";
    }
}
