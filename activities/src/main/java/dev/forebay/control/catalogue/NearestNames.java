package dev.forebay.control.catalogue;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** Which names somebody may have meant who wrote one that does not exist. */
final class NearestNames {

    private NearestNames() {}

    /**
     * Returns up to {@code most} of the names, the one first that takes the fewest edits to get to:
     * insertions, deletions, replacements, and neighbours that change places. An end that is
     * missing or too much is one edit. Among equals the order of {@code names} stays.
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

    /** Returns whether two names differ by a slip or two. */
    static boolean isNear(String asked, String name) {
        return edits(lower(asked), lower(name)) <= 2;
    }

    private static int edits(String one, String other) {
        return one.startsWith(other) || other.startsWith(one) ? 1 : distance(one, other);
    }

    /** The optimal string alignment distance. */
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
