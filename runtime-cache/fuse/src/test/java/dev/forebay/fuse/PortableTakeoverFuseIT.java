package dev.forebay.fuse;

import dev.forebay.fuse.view.View;

class PortableTakeoverFuseIT extends TakeoverContract {

    PortableTakeoverFuseIT() {
        super(View.PORTABLE);
    }
}
