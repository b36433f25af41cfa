package dev.forebay.control.catalogue;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** Finds the names that a user may have meant by a mistyped one. */
final class NearestNames {

    private NearestNames() {}

    /**
     * Returns up to {@code most} of the names, ordered by edit distance. An edit inserts, deletes
     * or replaces a character, or swaps two neighbours. A missing or superfluous end counts as one
     * edit. Names at the same distance keep their order.
     */
    static List<String> of(String asked, Collection<String> names, int most) {
        record Candidate(String name, int edits) {}
        return names.stream()
                .map(name -> new Candidate(name, edits(lower(asked), lower(name))))
                .sorted(Comparator.comparingInt(Candidate::edits))
                .limit(most)
                .map(Candidate::name)
                .toList();
    }

    /** Returns whether two names differ by at most two edits. */
    static boolean isNear(String asked, String name) {
        return edits(lower(asked), lower(name)) <= 2;
    }

    private static int edits(String one, String other) {
        return one.startsWith(other) || other.startsWith(one) ? 1 : distance(one, other);
    }

    /** Returns the optimal string alignment distance. */
    private static int distance(String one, String other) {
        int[][] rows = new int[one.length() + 1][other.length() + 1];
        for (int i = 0; i <= one.length(); i++) {
            for (int j = 0; j <= other.length(); j++) {
                rows[i][j] = i == 0 || j == 0 ? i + j : cheapest(rows, one, other, i, j);
            }
        }
        return rows[one.length()][other.length()];
    }

    private static int cheapest(int[][] rows, String one, String other, int i, int j) {
        int replaced = one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1;
        int least =
                Math.min(
                        rows[i - 1][j - 1] + replaced,
                        Math.min(rows[i - 1][j], rows[i][j - 1]) + 1);
        boolean swapped =
                i > 1
                        && j > 1
                        && one.charAt(i - 1) == other.charAt(j - 2)
                        && one.charAt(i - 2) == other.charAt(j - 1);
        return swapped ? Math.min(least, rows[i - 2][j - 2] + 1) : least;
    }

    private static String lower(String name) {
        return name.toLowerCase(Locale.ROOT);
    }
}
