package dev.forebay.lake.walk;

import dev.forebay.lake.KeyOrder;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Guesses a text that divides the keys after a given key. The distribution of keys is unknown, so
 * one part may turn out to be empty.
 *
 * <p>Keys are mostly words and numbers in turn, as in {@code train/000017/img-00017003.jpg}. A
 * number is divided digit by digit, half-way to the digits above it. A word is not divided. If some
 * keys have another word in that place, they become the second part. If all keys have the same
 * word, the next guess divides what follows it. Words that all keys share therefore cost one guess
 * for each word, not for each character.
 */
final class Midpoint {

    /** Sorts after all characters of most keys. */
    private static final char BEHIND = '~';

    private Midpoint() {}

    /**
     * Returns a text after {@code low} and before {@code high}. Empty if no guess is possible.
     *
     * @param prefix the prefix of both texts, and of the result
     * @param high null if only the prefix bounds the keys
     */
    static Optional<String> between(String prefix, String low, @Nullable String high) {
        int at = prefix.length();
        if (high != null) {
            while (at < Math.min(low.length(), high.length())
                    && low.charAt(at) == high.charAt(at)) {
                at++;
            }
        }
        char above = high != null && at < high.length() ? high.charAt(at) : BEHIND;
        while (at < low.length()) {
            char c = low.charAt(at);
            Optional<String> guess;
            if (isDigit(c)) {
                guess = higherDigit(low, at, above);
                at++;
            } else {
                at = endOfWord(low, at);
                guess = Optional.of(low.substring(0, at) + BEHIND);
            }
            guess = guess.filter(text -> isBetween(text, low, high));
            if (guess.isPresent()) {
                return guess;
            }
            above = BEHIND;
        }
        return Optional.empty();
    }

    private static Optional<String> higherDigit(String low, int at, char above) {
        char digit = low.charAt(at);
        if (digit == '9') {
            return Optional.empty();
        }
        int end = Math.min(above, '9' + 1);
        char higher = (char) (digit + Math.max(1, (end - digit) / 2));
        return Optional.of(low.substring(0, at) + higher);
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static int endOfWord(String key, int from) {
        int end = from;
        while (end < key.length() && !isDigit(key.charAt(end))) {
            end++;
        }
        return end;
    }

    private static boolean isBetween(String text, String low, @Nullable String high) {
        return KeyOrder.UTF8.compare(low, text) < 0
                && (high == null || KeyOrder.UTF8.compare(text, high) < 0);
    }
}
