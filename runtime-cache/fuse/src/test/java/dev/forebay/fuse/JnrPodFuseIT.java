package dev.forebay.fuse;

import dev.forebay.fuse.options.TransportChoice;

/** Tests a pod over libfuse. */
class JnrPodFuseIT extends PodContract {

    JnrPodFuseIT() {
        super(TransportChoice.JNR);
    }
}
