package dev.forebay.model;

import java.util.List;
import java.util.Optional;

/**
 * Which keys below a prefix belong to a dataset: those that an include pattern matches, or all if
 * there is none, without those that an exclude pattern matches. Immutable.
 *
 * <p>The key of a directory, which ends in {@code /}, is matched without it.
 */
public final class KeyFilter {

    private final List<KeyGlob> include;
    private final List<KeyGlob> exclude;

    private KeyFilter(List<KeyGlob> include, List<KeyGlob> exclude) {
        this.include = include;
        this.exclude = exclude;
    }

    /**
     * A filter of these patterns.
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

    /** The rule that a text breaks if it is no pattern, to be read after its field and itself. */
    public static Optional<String> violation(String text) {
        return KeyGlob.violation(text);
    }

    /** Whether a key, relative to the prefix, belongs to the dataset. */
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
     * The narrowest exclude pattern that leaves a key out, for a person to use. It may leave out
     * others, too: there is no pattern for an empty component alone.
     *
     * @param relative to the prefix, and not empty
     */
    public static String excluding(String relative) {
        return KeyGlob.matching(components(relative));
    }

    /** What every key that belongs to the dataset begins with: nothing else need be listed. */
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
        // Half a character is no prefix of a key.
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
