package dev.forebay.fuse.view;

import java.util.Locale;

/** How a version appears at its path; the later ones are better. */
public enum View {

    /** File by file, through FUSE. */
    PORTABLE,

    /** By its image, over packs that FUSE serves. */
    ON_DEMAND,

    /** By its image, over packs on the node's disk. */
    NATIVE;

    /** Its name as a tag of metrics. */
    public String tag() {
        return name().toLowerCase(Locale.ROOT);
    }
}
