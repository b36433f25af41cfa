package dev.forebay.fuse.view;

import dev.forebay.fuse.linux.LoopDevice;
import dev.forebay.fuse.linux.MountTable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What images are on the folders of a tree, as the kernel says: other processes may have put them
 * there.
 */
final class AttachedImages {

    private AttachedImages() {}

    /**
     * The mounted images below a mount point.
     *
     * @return their files by where they are, those further below first
     */
    static Map<Path, List<Path>> below(Path tree) {
        Map<Path, List<Path>> images = new HashMap<>();
        for (MountTable.Entry mount : mounts()) {
            if (isImage(mount) && mount.mountpoint().startsWith(tree)) {
                images.computeIfAbsent(mount.mountpoint(), _ -> new ArrayList<>())
                        .add(image(mount));
            }
        }
        return images;
    }

    static boolean isImage(MountTable.Entry mount) {
        return mount.type().equals("erofs");
    }

    /** The file of an image that is mounted. */
    static Path image(MountTable.Entry mount) {
        return LoopDevice.fileOf(mount.source()).orElse(Path.of(mount.source()));
    }

    private static List<MountTable.Entry> mounts() {
        try {
            return MountTable.read();
        } catch (IOException e) {
            throw new UncheckedIOException("a kernel that does not say what is mounted", e);
        }
    }
}
