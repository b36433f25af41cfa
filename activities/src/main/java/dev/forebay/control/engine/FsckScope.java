package dev.forebay.control.engine;

import dev.forebay.model.DatasetName;
import dev.forebay.model.DatasetVersion;

/**
 * Whose versions are checked.
 *
 * @param of empty for all, a namespace, {@code namespace/name} or {@code namespace/name@version}
 */
public record FsckScope(String of) {

    /** Every character of a version's name is greater. */
    private static final String BEFORE_ALL = "!";

    /** Every name of a version is less. */
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

    /** The first name that a version may have. */
    String from() {
        return of.isEmpty() || of.contains("@") ? of : of.contains("/") ? of + "@" : of + "/";
    }

    /** What is greater than every name that a version may have, by the order of its bytes. */
    String until() {
        return of.isEmpty() ? AFTER_ALL : of.contains("@") ? of + BEFORE_ALL : from() + AFTER_ALL;
    }
}
