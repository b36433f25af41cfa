package dev.forebay.model;

import java.util.List;
import java.util.Optional;

/**
 * Selects the keys below a prefix that belong to a dataset. A key belongs if an include pattern
 * matches it, or if there are no include patterns, and no exclude pattern matches it. Immutable.
 *
 * <p>The key of a directory, which ends in {@code /}, is matched without its slash.
 */
public final class KeyFilter {

    private final List<KeyGlob> include;
    private final List<KeyGlob> exclude;

    private KeyFilter(List<KeyGlob> include, List<KeyGlob> exclude) {
        this.include = include;
        this.exclude = exclude;
    }

    /**
     * Returns a filter of these patterns.
     *
     * @throws dev.forebay.model.ForebayException with {@code INVALID_ARGUMENT}, naming {@code
     *     include} or {@code exclude}, the value and the rule
     */
    public static KeyFilter of(List<String> include, List<String> exclude) {
        return new KeyFilter(globs("include", include), globs("exclude", exclude));
    }

    private static List<KeyGlob> globs(String field, List<String> texts) {
        return texts.stream().map(text -> KeyGlob.parse(field, text)).toList();
    }

    /**
     * Returns the rule that an invalid pattern breaks, worded to follow the field and the pattern
     * in a message. Empty if the pattern is valid.
     */
    public static Optional<String> violation(String text) {
        return KeyGlob.violation(text);
    }

    /** Returns whether a key, relative to the prefix, belongs to the dataset. */
    public boolean accepts(String relative) {
        if (relative.isEmpty() || (include.isEmpty() && exclude.isEmpty())) {
            return true;
        }
        List<String> components = components(relative);
        return (include.isEmpty() || include.stream().anyMatch(glob -> glob.matches(components)))
                && exclude.stream().noneMatch(glob -> glob.matches(components));
    }

    private static List<String> components(String relative) {
        String path =
                relative.endsWith("/") ? relative.substring(0, relative.length() - 1) : relative;
        return List.of(path.split("/", -1));
    }

    /**
     * Returns the narrowest exclude pattern that leaves a key out, for a message to suggest. The
     * pattern may leave out other keys, too, because no pattern matches only an empty component.
     *
     * @param relative to the prefix, and not empty
     */
    public static String excluding(String relative) {
        return KeyGlob.matching(components(relative));
    }

    /**
     * Returns the common beginning of all keys that can belong to the dataset, so that only keys
     * with this prefix need to be listed.
     */
    public String literalPrefix() {
        String common = null;
        for (KeyGlob glob : include) {
            String literal = glob.literalPrefix();
            common = common == null ? literal : common(common, literal);
        }
        return common == null ? "" : common;
    }

    private static String common(String one, String other) {
        int length = 0;
        while (length < Math.min(one.length(), other.length())
                && one.charAt(length) == other.charAt(length)) {
            length++;
        }
        // A lone surrogate is not a valid prefix of a key.
        if (length > 0 && Character.isHighSurrogate(one.charAt(length - 1))) {
            length--;
        }
        return one.substring(0, length);
    }

    @Override
    public String toString() {
        return "include " + include + ", exclude " + exclude;
    }
}
