package dev.forebay.suite;

import java.util.Locale;
import java.util.Set;

/**
 * A part of the suite: classes of one kind, recognised by the end of their names. Each part runs in
 * JVMs of its own.
 */
enum SuitePart {
    /** Tests without servers. */
    UNIT("Test", "", ""),

    /**
     * Lincheck tests. Lincheck transforms every class that its JVM has loaded, which takes minutes
     * after other tests.
     */
    LINCHECK("LincheckTest", "", ""),

    /** Tests with real servers. */
    INTEGRATION("IT", "", "long"),

    /** Tests with real servers that are too long for every change and run before a release. */
    LONG("IT", "long", ""),

    /** The tests on a real Kubernetes API server that belong to the fast suite. */
    KUBE_SLICE("KubeIT", "slice", ""),

    /** All tests on a real Kubernetes API server. */
    KUBE("KubeIT", "", ""),

    /** Tests of images. */
    CONTAINER("ContainerIT", "", "");

    private final String suffix;
    private final String included;
    private final String excluded;

    SuitePart(String suffix, String included, String excluded) {
        this.suffix = suffix;
        this.included = included;
        this.excluded = excluded;
    }

    /** Returns the tag that a test must have, or an empty text. */
    String included() {
        return included;
    }

    /** Returns the tag that a test must not have, or an empty text. */
    String excluded() {
        return excluded;
    }

    /**
     * Returns whether a class belongs to this part. The longest matching suffix decides, then the
     * tags.
     *
     * @param tags of the class and its methods
     * @param classTags of the class alone
     */
    boolean has(String className, Set<String> tags, Set<String> classTags) {
        for (SuitePart other : values()) {
            if (other.suffix.length() > suffix.length() && className.endsWith(other.suffix)) {
                return false;
            }
        }
        return className.endsWith(suffix)
                && (included.isEmpty() || tags.contains(included))
                && !classTags.contains(excluded);
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
