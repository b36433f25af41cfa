package dev.forebay.control.catalogue;

import java.util.List;

/** Patterns of keys as a column holds them: one a line, for they have no line breaks. */
final class PatternLines {

    private PatternLines() {}

    static String join(List<String> patterns) {
        return String.join("\n", patterns);
    }

    static List<String> split(String lines) {
        return lines.isEmpty() ? List.of() : List.of(lines.split("\n"));
    }
}
