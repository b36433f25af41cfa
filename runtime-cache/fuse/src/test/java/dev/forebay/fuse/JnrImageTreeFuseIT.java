package dev.forebay.fuse;

import dev.forebay.fuse.fs.FileSystemView;
import dev.forebay.fuse.fs.Transport;
import dev.forebay.fuse.fs.UpcallGuard;
import dev.forebay.fuse.options.PodOptions;
import dev.forebay.fuse.view.ImageDevices;
import java.nio.file.Path;
import java.time.Duration;

class JnrImageTreeFuseIT extends ImageTreeContract {

    @Override
    Duration memoryOfNames() {
        return JnrMountedTreeFuseIT.MEMORY_OF_NAMES;
    }

    /** See {@link PodOptions#imageDevices()}. */
    @Override
    ImageDevices devices() {
        return ImageDevices.LOOPS;
    }

    @Override
    Transport mountTree(FileSystemView view, UpcallGuard guard, Path mountpoint) {
        return JnrMountedTreeFuseIT.mountThroughLibfuse(view, guard, mountpoint);
    }
}
