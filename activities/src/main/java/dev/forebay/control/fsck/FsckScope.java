package dev.forebay.control.fsck;

import dev.forebay.model.DatasetName;
import dev.forebay.model.DatasetVersion;

/**
 * The versions that a check covers.
 *
 * @param of empty for all, a namespace, {@code namespace/name} or {@code namespace/name@version}
 */
public record FsckScope(String of) {

    /** Sorts before every character of a version's name. */
    private static final String BEFORE_ALL = "!";

    /** Sorts after every character of a version's name. */
    private static final String AFTER_ALL = "~";

    public FsckScope {
        if (of.contains("@")) {
            var _ = DatasetVersion.parse(of);
        } else if (of.contains("/")) {
            var _ = DatasetName.parse(of);
        } else if (!of.isEmpty()) {
            var _ = new DatasetName(of, "any");
        }
    }

    boolean contains(DatasetVersion version) {
        String id = version.toString();
        return id.compareTo(from()) >= 0 && id.compareTo(until()) < 0;
    }

    /** Returns the lower bound of the names of versions. */
    String from() {
        return of.isEmpty() || of.contains("@") ? of : of.contains("/") ? of + "@" : of + "/";
    }

    /** Returns a bound that sorts after the names of all versions, by the order of their bytes. */
    String until() {
        return of.isEmpty() ? AFTER_ALL : of.contains("@") ? of + BEFORE_ALL : from() + AFTER_ALL;
    }
}
