package dev.forebay.fuse;

import dev.forebay.fuse.view.View;

class OnDemandTakeoverFuseIT extends TakeoverContract {

    OnDemandTakeoverFuseIT() {
        super(View.ON_DEMAND);
    }
}
