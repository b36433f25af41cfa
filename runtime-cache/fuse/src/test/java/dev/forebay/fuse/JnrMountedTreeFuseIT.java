package dev.forebay.fuse;

import dev.forebay.devstack.tool.Toolbox;
import dev.forebay.fuse.fs.FileSystemView;
import dev.forebay.fuse.fs.Transport;
import dev.forebay.fuse.fs.UpcallGuard;
import dev.forebay.fuse.jnr.JnrTransport;
import java.nio.file.Path;
import java.time.Duration;

class JnrMountedTreeFuseIT extends MountedTreeContract {

    static final Duration MEMORY_OF_NAMES = Duration.ofSeconds(10);

    @Override
    Duration memoryOfNames() {
        return MEMORY_OF_NAMES;
    }

    @Override
    Transport mount(FileSystemView view, UpcallGuard guard, Path mountpoint) {
        return mountThroughLibfuse(view, guard, mountpoint);
    }

    static Transport mountThroughLibfuse(FileSystemView view, UpcallGuard guard, Path mountpoint) {
        Toolbox.ofThisMachine()
                .libfuse2()
                .ifPresent(path -> System.setProperty("jnr.ffi.library.path", path.toString()));
        return JnrTransport.mount(view, guard, mountpoint, false);
    }
}
