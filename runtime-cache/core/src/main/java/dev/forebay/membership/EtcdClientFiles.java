package dev.forebay.membership;

/** The files of etcd's client, which it does not need. */
public final class EtcdClientFiles {

    private EtcdClientFiles() {}

    /**
     * Keeps Vert.x, on which the client runs, from making a folder in the shared temporary
     * directory for files of the class path: a process that is killed leaves it there. For a main
     * method, before anything else: Vert.x looks once.
     */
    public static void disable() {
        System.setProperty("vertx.disableFileCPResolving", "true");
    }
}
