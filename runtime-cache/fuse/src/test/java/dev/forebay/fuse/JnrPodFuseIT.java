package dev.forebay.fuse;

/** Tests a pod over libfuse. */
class JnrPodFuseIT extends PodContract {

    JnrPodFuseIT() {
        super(TransportChoice.JNR);
    }
}
