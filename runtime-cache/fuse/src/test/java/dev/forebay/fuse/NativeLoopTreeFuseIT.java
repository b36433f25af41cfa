package dev.forebay.fuse;

import dev.forebay.fuse.view.ImageDevices;

class NativeLoopTreeFuseIT extends NativeTreeContract {
    @Override
    ImageDevices devices() {
        return ImageDevices.LOOPS;
    }
}
