package dev.forebay.fuse.view;

import dev.forebay.fuse.linux.MountTable;
import java.util.Locale;

/** How a version appears at its path; the later ones are better. */
public enum View {

    /** File by file, through FUSE. */
    PORTABLE,

    /** By its image, over packs that FUSE serves. */
    ON_DEMAND,

    /** By its image, over packs on the node's disk. */
    NATIVE;

    /** How a mount that lies on a version's folder, or is a copy of one, shows it. */
    public static View of(MountTable.Entry mount) {
        return TreeMounts.isImage(mount) ? Images.view(TreeMounts.image(mount)) : PORTABLE;
    }

    /** Its name as a tag of metrics. */
    public String tag() {
        return name().toLowerCase(Locale.ROOT);
    }
}
