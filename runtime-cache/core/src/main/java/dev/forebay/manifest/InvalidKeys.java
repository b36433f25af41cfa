package dev.forebay.manifest;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.KeyFilter;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The first keys of a listing that cannot be paths, and the patterns that leave them out. */
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
     * @param reason names the key
     * @param culprit the key to leave out, which need not be the same
     * @throws ForebayException with {@code INVALID_KEY}, naming all, at the tenth
     */
    void add(ForebayException reason, String culprit) {
        reasons.add(String.valueOf(reason.getMessage()));
        if (culprit.startsWith(prefix) && culprit.length() > prefix.length()) {
            String pattern = KeyFilter.excluding(culprit.substring(prefix.length()));
            // One for each empty component more, a pattern may be too long.
            if (KeyFilter.violation(pattern).isEmpty()) {
                excludes.add(pattern);
            }
        }
        if (reasons.size() == MOST) {
            throw failure("; there may be more");
        }
    }

    /**
     * Fails if there is one.
     *
     * @throws ForebayException with {@code INVALID_KEY}, naming all
     */
    void requireNone() {
        if (!reasons.isEmpty()) {
            throw failure("");
        }
    }

    /** The exclude patterns that leave out those that are named. */
    List<String> excludes() {
        return List.copyOf(excludes);
    }

    private ForebayException failure(String more) {
        return new ForebayException(
                ErrorCode.INVALID_KEY,
                "these keys cannot be paths: " + String.join("; ", reasons) + more);
    }
}
