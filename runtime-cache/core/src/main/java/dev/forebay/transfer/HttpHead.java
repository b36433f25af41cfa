package dev.forebay.transfer;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The head of an HTTP answer: its status and fields.
 *
 * @param fields values by case-insensitive name; the first value of a repeated field
 */
record HttpHead(int status, Map<String, String> fields) {

    private static final String VERSION = "HTTP/1.1 ";

    /** Parses the lines of a head, the status line first (RFC 9112, section 4). */
    static HttpHead parse(List<String> lines) throws IOException {
        String start = lines.isEmpty() ? "" : lines.getFirst();
        if (!start.matches("HTTP/1\\.1 [1-5]\\d\\d( .*)?")) {
            throw new ProtocolViolationException("sent an invalid head of an HTTP/1.1 response");
        }
        int status = Integer.parseInt(start, VERSION.length(), VERSION.length() + 3, 10);
        return new HttpHead(status, fields(lines.subList(1, lines.size())));
    }

    /** Returns the value of a field, or an empty string if it is absent. */
    String field(String name) {
        return fields.getOrDefault(name, "");
    }

    private static Map<String, String> fields(List<String> lines) throws IOException {
        Map<String, String> fields = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        for (String line : lines) {
            int colon = line.indexOf(':');
            if (colon < 1) {
                throw new ProtocolViolationException("sent a response head with an invalid line");
            }
            fields.putIfAbsent(line.substring(0, colon), line.substring(colon + 1).strip());
        }
        return fields;
    }
}
