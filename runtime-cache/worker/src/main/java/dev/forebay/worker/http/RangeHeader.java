package dev.forebay.worker.http;

import org.jspecify.annotations.Nullable;

/**
 * The one form of {@code Range} that the protocol has: {@code bytes=a-b} or {@code bytes=a-}.
 *
 * @param from the first byte
 * @param last the last byte, {@link Long#MAX_VALUE} if open
 */
record RangeHeader(long from, long last) {

    private static final String UNIT = "bytes=";
    private static final String RULE = "must have the form bytes=a-b with a <= b, or bytes=a-";
    private static final int MOST_DIGITS = 18;

    static RangeHeader parse(@Nullable String header) {
        if (header == null || !header.startsWith(UNIT)) {
            throw Refusal.invalid("Range", header, RULE);
        }
        int dash = header.indexOf('-');
        if (dash < 0) {
            throw Refusal.invalid("Range", header, RULE);
        }
        long from = number(header, header.substring(UNIT.length(), dash));
        String end = header.substring(dash + 1);
        long last = end.isEmpty() ? Long.MAX_VALUE : number(header, end);
        if (last < from) {
            throw Refusal.invalid("Range", header, RULE);
        }
        return new RangeHeader(from, last);
    }

    private static long number(String header, String text) {
        if (text.isEmpty() || text.length() > MOST_DIGITS || !Parameters.digits(text)) {
            throw Refusal.invalid("Range", header, RULE);
        }
        return Long.parseLong(text);
    }

    @Override
    public String toString() {
        return UNIT + from + "-" + (last == Long.MAX_VALUE ? "" : last);
    }
}
