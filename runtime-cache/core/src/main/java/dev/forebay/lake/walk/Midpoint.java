package dev.forebay.lake.walk;

import dev.forebay.lake.KeyOrder;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A text about half-way between two keys. Nobody knows how keys are spread: it is a guess, and what
 * it divides may be anything but halves.
 */
final class Midpoint {

    /** Most keys are of printable ASCII. */
    private static final char LOWEST = ' ';

    private static final char HIGHEST = '\u007f';

    private Midpoint() {}

    /**
     * A text behind {@code low} and before {@code high}; empty if there is none that can be
     * guessed.
     *
     * @param prefix what both begin with, and the text will
     * @param high null if there is no end but the prefix's
     */
    static Optional<String> between(String prefix, String low, @Nullable String high) {
        int at = prefix.length();
        if (high != null) {
            while (at < Math.min(low.length(), high.length())
                    && low.charAt(at) == high.charAt(at)) {
                at++;
            }
        }
        char above = high != null && at < high.length() ? high.charAt(at) : HIGHEST;
        for (int i = at; i <= low.length(); i++) {
            char below = i < low.length() ? low.charAt(i) : LOWEST;
            if (above - below >= 2) {
                String guess = low.substring(0, i) + (char) (below + (above - below) / 2);
                return Optional.of(guess).filter(text -> isBetween(text, low, high));
            }
            above = HIGHEST;
        }
        return Optional.empty();
    }

    private static boolean isBetween(String text, String low, @Nullable String high) {
        return !Character.isSurrogate(text.charAt(text.length() - 1))
                && KeyOrder.UTF8.compare(low, text) < 0
                && (high == null || KeyOrder.UTF8.compare(text, high) < 0);
    }
}
