package dev.forebay.fuse;

/** A pod over libfuse. */
class JnrPodFuseIT extends PodContract {

    JnrPodFuseIT() {
        super(TransportChoice.JNR);
    }
}
