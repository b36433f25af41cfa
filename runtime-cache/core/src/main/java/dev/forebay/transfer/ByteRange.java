package dev.forebay.transfer;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A range of bytes as in HTTP headers, but with an exclusive end, as usual in Java. */
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
