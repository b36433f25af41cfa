package dev.forebay.fuse;

import dev.forebay.fuse.fs.FileSystemView;
import dev.forebay.fuse.fs.Transport;
import dev.forebay.fuse.fs.UpcallGuard;
import dev.forebay.fuse.kernel.KernelTransport;
import java.nio.file.Path;

class KernelImageTreeFuseIT extends ImageTreeContract {

    @Override
    Transport mountTree(FileSystemView view, UpcallGuard guard, Path mountpoint) {
        return KernelTransport.mount(view, guard, mountpoint, false);
    }
}
