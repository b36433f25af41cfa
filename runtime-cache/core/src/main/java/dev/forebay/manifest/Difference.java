package dev.forebay.manifest;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A file that is not the same in two versions: key, size, ETag or version id differ, or one of them
 * does not have it.
 *
 * @param before as the first version has it; null if it was added
 * @param after as the second version has it; null if it was removed
 */
public record Difference(FilePath path, Node.@Nullable File before, Node.@Nullable File after) {

    /**
     * Some differences.
     *
     * @param next the path behind which the next page begins; null if there is none
     */
    public record Page(List<Difference> items, @Nullable FilePath next) {}

    /**
     * Compares two versions, by path.
     *
     * @param begin the path behind which to begin
     * @param most differences in the page
     * @param looks how many paths are compared at most: a page may have fewer differences, or none,
     *     and not be the last one
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

    /** One of the two versions, where it is being compared. */
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

        /** The file at this path, if it is the next one; goes on then. */
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
