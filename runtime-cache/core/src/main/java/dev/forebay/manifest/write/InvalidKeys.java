package dev.forebay.manifest.write;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.KeyFilter;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Collects the first keys of a listing that cannot be paths, and the exclude patterns that leave
 * them out.
 */
final class InvalidKeys {

    private static final int MOST = 10;

    private final String prefix;
    private final List<String> reasons = new ArrayList<>();
    private final Set<String> excludes = new LinkedHashSet<>();

    InvalidKeys(String prefix) {
        this.prefix = prefix;
    }

    /**
     * Adds a key.
     *
     * @param reason the error, which names the key
     * @param culprit the key to exclude, which may differ from the key in the error
     * @throws ForebayException with {@code INVALID_KEY}, naming all keys, when the tenth is added
     */
    void add(ForebayException reason, String culprit) {
        reasons.add(String.valueOf(reason.getMessage()));
        if (culprit.startsWith(prefix) && culprit.length() > prefix.length()) {
            String pattern = KeyFilter.excluding(culprit.substring(prefix.length()));
            // A pattern is longer than its key if the key has empty components, so it may be too
            // long.
            if (KeyFilter.violation(pattern).isEmpty()) {
                excludes.add(pattern);
            }
        }
        if (reasons.size() == MOST) {
            throw failure("; there may be more");
        }
    }

    /**
     * Fails if a key was added.
     *
     * @throws ForebayException with {@code INVALID_KEY}, naming all keys
     */
    void requireNone() {
        if (!reasons.isEmpty()) {
            throw failure("");
        }
    }

    /** Returns patterns that exclude the named keys. */
    List<String> excludes() {
        return List.copyOf(excludes);
    }

    private ForebayException failure(String more) {
        return new ForebayException(
                ErrorCode.INVALID_KEY,
                "these keys cannot be paths: " + String.join("; ", reasons) + more);
    }
}
