package dev.forebay.fuse.view;

import dev.forebay.fuse.linux.MountTable;
import java.util.Locale;

/** The ways in which a version appears at its path; later ones are better. */
public enum View {

    /** File by file, through FUSE. */
    PORTABLE,

    /** By its image, over packs that FUSE serves. */
    ON_DEMAND,

    /** By its image, over packs on the node's disk. */
    NATIVE;

    /** Returns the view of a mount on a version's folder, or of a copy of such a mount. */
    public static View of(MountTable.Entry mount) {
        return TreeMounts.isImage(mount) ? Images.view(TreeMounts.image(mount)) : PORTABLE;
    }

    /** Returns its name as a tag of metrics. */
    public String tag() {
        return name().toLowerCase(Locale.ROOT);
    }
}
