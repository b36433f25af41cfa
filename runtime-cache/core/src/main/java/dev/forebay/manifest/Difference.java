package dev.forebay.manifest;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A file that differs between two versions: key, size, ETag or version id differ, or one version
 * does not have it.
 *
 * @param before the file in the first version; null if it was added
 * @param after the file in the second version; null if it was removed
 */
public record Difference(FilePath path, Node.@Nullable File before, Node.@Nullable File after) {

    /**
     * A page of differences.
     *
     * @param next the path after which the next page begins; null at the end
     */
    public record Page(List<Difference> items, @Nullable FilePath next) {}

    /**
     * Compares two versions, in the order of their paths.
     *
     * @param begin the path after which to begin
     * @param most the maximum number of differences in the page
     * @param looks the maximum number of paths to compare. A page that reaches it may have few
     *     differences, or none, although more pages follow
     */
    public static Page page(Manifest before, Manifest after, FilePath begin, int most, int looks) {
        FilePath last = begin;
        Side one = new Side(FileWalk.after(before, begin));
        Side other = new Side(FileWalk.after(after, begin));
        List<Difference> found = new ArrayList<>();
        for (int look = 0; look < looks && found.size() < most; look++) {
            FilePath path = first(one.path(), other.path());
            if (path == null) {
                return new Page(found, null);
            }
            last = path;
            Node.File old = one.take(path);
            Node.File young = other.take(path);
            if (old == null || young == null || !isSame(old, young)) {
                found.add(new Difference(path, old, young));
            }
        }
        boolean isLast = first(one.path(), other.path()) == null;
        return new Page(found, isLast ? null : last);
    }

    private static @Nullable FilePath first(@Nullable FilePath one, @Nullable FilePath other) {
        if (one == null || other == null) {
            return one == null ? other : one;
        }
        return one.compareTo(other) <= 0 ? one : other;
    }

    private static boolean isSame(Node.File one, Node.File other) {
        return one.size() == other.size()
                && one.key().equals(other.key())
                && one.etag().equals(other.etag())
                && Objects.equals(one.versionId(), other.versionId());
    }

    /** The position of the comparison in one of the two versions. */
    private static final class Side {

        private final FileWalk walk;
        private FileWalk.@Nullable Found at;

        Side(FileWalk walk) {
            this.walk = walk;
            this.at = walk.hasNext() ? walk.next() : null;
        }

        @Nullable FilePath path() {
            return at == null ? null : at.path();
        }

        /**
         * Returns the file at this path and advances, if it is the next file. Otherwise returns
         * null.
         */
        Node.@Nullable File take(FilePath path) {
            FileWalk.Found found = at;
            if (found == null || !found.path().equals(path)) {
                return null;
            }
            at = walk.hasNext() ? walk.next() : null;
            return found.file();
        }
    }
}
