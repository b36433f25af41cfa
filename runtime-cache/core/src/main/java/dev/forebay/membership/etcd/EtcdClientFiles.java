package dev.forebay.membership.etcd;

/** Disables files that etcd's client would write and does not need. */
public final class EtcdClientFiles {

    private EtcdClientFiles() {}

    /**
     * Stops Vert.x, which the client uses, from creating a folder in the shared temporary directory
     * for files of the class path. A killed process would leave that folder there. Call this first
     * in a main method, because Vert.x reads the setting once.
     */
    public static void disable() {
        System.setProperty("vertx.disableFileCPResolving", "true");
    }
}
