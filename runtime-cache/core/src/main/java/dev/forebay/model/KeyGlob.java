package dev.forebay.model;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * A pattern of keys, relative to a dataset's prefix. {@code *} matches any number of characters
 * within a component, {@code ?} matches one character, and the component {@code **} matches any
 * number of components, including none.
 *
 * <p>Matching takes at most time proportional to the product of the lengths of pattern and key. No
 * pattern causes exponential backtracking.
 */
final class KeyGlob {

    private static final int LONGEST = 1024;
    private static final String ANY = "**";
    private static final String FOREIGN = "[]{}\\";

    /** Characters that a shell would interpret, or that a person may misread. */
    private static final String CONFUSING = "*?'\"$`!" + FOREIGN;

    private final String text;
    private final List<String> components;

    private KeyGlob(String text) {
        this.text = text;
        this.components = List.of(text.split("/", -1));
    }

    /**
     * Parses a pattern.
     *
     * @param field the name of the field for the error message
     * @throws ForebayException with {@link ErrorCode#INVALID_ARGUMENT}, naming field, value and
     *     rule
     */
    static KeyGlob parse(String field, String text) {
        violation(text)
                .ifPresent(
                        rule -> {
                            throw new ForebayException(
                                    ErrorCode.INVALID_ARGUMENT,
                                    "%s '%s' %s".formatted(field, text, rule));
                        });
        return new KeyGlob(text);
    }

    /**
     * Returns the narrowest pattern that matches a path. A wildcard replaces each character that
     * patterns do not allow or that a shell would interpret.
     */
    static String matching(List<String> path) {
        return path.stream().map(KeyGlob::matching).collect(Collectors.joining("/"));
    }

    private static String matching(String name) {
        if (name.isEmpty()) {
            return "*";
        }
        if (name.equals(".") || name.equals("..")) {
            return "?".repeat(name.length());
        }
        StringBuilder pattern = new StringBuilder();
        name.codePoints()
                .forEach(
                        c -> {
                            boolean plain = ShownText.isVisible(c) && CONFUSING.indexOf(c) < 0;
                            pattern.appendCodePoint(plain ? c : '?');
                        });
        return pattern.toString();
    }

    /**
     * Returns the rule that an invalid pattern breaks, worded to follow the field and the pattern
     * in a message. Empty if the pattern is valid.
     */
    static Optional<String> violation(String text) {
        if (text.isEmpty() || text.length() > LONGEST) {
            return Optional.of("must be 1 to 1024 characters");
        }
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (Character.isISOControl(c)) {
                return Optional.of("must have no control character");
            }
            if (FOREIGN.indexOf(c) >= 0) {
                return Optional.of(
                        "must have no bracket, brace or backslash: write one pattern for each"
                                + " alternative, and ? for such a character of a key");
            }
        }
        for (String component : text.split("/", -1)) {
            if (component.isEmpty()) {
                return Optional.of(
                        "must be relative to the prefix, without / at its start or end, and "
                                + "without //. dir/** matches everything below dir");
            }
            if (component.equals(".") || component.equals("..")) {
                return Optional.of("must have no component . or ..");
            }
            if (component.contains(ANY) && !component.equals(ANY)) {
                return Optional.of("must have ** only as a component of its own, as in dir/**");
            }
        }
        return Optional.empty();
    }

    /** Returns the common beginning of all keys that match. */
    String literalPrefix() {
        StringBuilder literal = new StringBuilder();
        for (int i = 0; i < components.size(); i++) {
            String component = components.get(i);
            int wild = firstWild(component);
            if (component.equals(ANY)) {
                // ** can match no component, and then the key has no / here either.
                return literal.isEmpty() ? "" : literal.substring(0, literal.length() - 1);
            }
            literal.append(component, 0, wild);
            if (wild < component.length()) {
                return literal.toString();
            }
            if (i + 1 < components.size()) {
                literal.append('/');
            }
        }
        return literal.toString();
    }

    private static int firstWild(String component) {
        for (int i = 0; i < component.length(); i++) {
            if (component.charAt(i) == '*' || component.charAt(i) == '?') {
                return i;
            }
        }
        return component.length();
    }

    /** Returns whether the pattern matches a path of these components. */
    boolean matches(List<String> path) {
        // Backtrack to the latest ** only: once a later ** is reached, the match of an earlier one
        // is final.
        int pattern = 0;
        int at = 0;
        int star = -1;
        int starAt = 0;
        while (at < path.size()) {
            if (pattern < components.size() && components.get(pattern).equals(ANY)) {
                star = pattern++;
                starAt = at;
            } else if (pattern < components.size()
                    && matches(components.get(pattern), path.get(at))) {
                pattern++;
                at++;
            } else if (star >= 0) {
                pattern = star + 1;
                at = ++starAt;
            } else {
                return false;
            }
        }
        while (pattern < components.size() && components.get(pattern).equals(ANY)) {
            pattern++;
        }
        return pattern == components.size();
    }

    private static boolean matches(String component, String name) {
        int pattern = 0;
        int at = 0;
        int star = -1;
        int starAt = 0;
        while (at < name.length()) {
            if (pattern < component.length() && component.charAt(pattern) == '*') {
                star = pattern++;
                starAt = at;
            } else if (pattern < component.length()
                    && (component.charAt(pattern) == '?'
                            || component.charAt(pattern) == name.charAt(at))) {
                // ? matches one code point, which is two chars beyond U+FFFF.
                boolean pair =
                        component.charAt(pattern) == '?'
                                && Character.isHighSurrogate(name.charAt(at))
                                && at + 1 < name.length();
                pattern++;
                at += pair ? 2 : 1;
            } else if (star >= 0) {
                pattern = star + 1;
                at = ++starAt;
            } else {
                return false;
            }
        }
        while (pattern < component.length() && component.charAt(pattern) == '*') {
            pattern++;
        }
        return pattern == component.length();
    }

    @Override
    public String toString() {
        return text;
    }
}
