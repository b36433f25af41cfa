package dev.forebay.control.catalogue;

import java.util.List;

/** Stores patterns of keys in one column, one on each line. Patterns contain no line breaks. */
final class PatternLines {

    private PatternLines() {}

    static String join(List<String> patterns) {
        return String.join("\n", patterns);
    }

    static List<String> split(String lines) {
        return lines.isEmpty() ? List.of() : List.of(lines.split("\n"));
    }
}
