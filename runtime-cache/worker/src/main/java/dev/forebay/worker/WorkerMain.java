package dev.forebay.worker;

import dev.forebay.membership.etcd.EtcdClientFiles;
import dev.forebay.transfer.HostAddresses;
import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.annotations.QuarkusMain;

/** The main class of the cache worker. */
@QuarkusMain
public final class WorkerMain {

    private WorkerMain() {}

    public static void main(String[] arguments) {
        EtcdClientFiles.disable();
        HostAddresses.followMoves();
        Quarkus.run(arguments);
    }
}
