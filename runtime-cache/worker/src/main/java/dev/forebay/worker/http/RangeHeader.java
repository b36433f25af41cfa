package dev.forebay.worker.http;

import dev.forebay.transfer.WorkerProtocol;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One range of a {@code Range} header: {@code bytes=a-b}, {@code bytes=a-}, or {@code
 * bytes=a-b,c-d}.
 *
 * @param from the first byte
 * @param last the last byte, inclusive; {@link Long#MAX_VALUE} if open
 */
record RangeHeader(long from, long last) {

    private static final String UNIT = "bytes=";
    private static final String RULE = "must have the form bytes=a-b with a <= b, or bytes=a-";
    private static final int MOST_DIGITS = 18;

    /** Parses one range or several. Their number and total bytes are bounded. */
    static List<RangeHeader> parseAll(@Nullable String header) {
        if (header == null || !header.contains(",")) {
            return List.of(parse(header));
        }
        List<RangeHeader> all = new ArrayList<>();
        long bytes = 0;
        for (String part : header.split(",", -1)) {
            RangeHeader range = parse(all.isEmpty() ? part : UNIT + part.strip());
            bytes += Math.min(range.last - range.from, WorkerProtocol.MOST_RANGES_BYTES) + 1;
            all.add(range);
        }
        if (bytes > WorkerProtocol.MOST_RANGES_BYTES || all.size() > WorkerProtocol.MOST_RANGES) {
            throw Refusal.invalid(
                    "Range",
                    header,
                    "must have at most %d ranges, with at most %d bytes together"
                            .formatted(
                                    WorkerProtocol.MOST_RANGES, WorkerProtocol.MOST_RANGES_BYTES));
        }
        return all;
    }

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

    /** Returns the range without the unit. */
    String interval() {
        return from + "-" + (last == Long.MAX_VALUE ? "" : last);
    }

    @Override
    public String toString() {
        return UNIT + interval();
    }
}
