package dev.forebay;

import dev.forebay.cleanup.CleanUp;
import dev.forebay.membership.etcd.EtcdClientFiles;
import dev.forebay.transfer.HostAddresses;
import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.annotations.QuarkusMain;
import java.util.Arrays;

/**
 * The main class. Starts the service in either role, or {@link CleanUp}, which runs without
 * Quarkus.
 */
@QuarkusMain
public final class ServiceMain {

    private ServiceMain() {}

    public static void main(String[] arguments) {
        if (arguments.length > 0 && arguments[0].equals(CleanUp.NAME)) {
            System.exit(CleanUp.run(Arrays.asList(arguments).subList(1, arguments.length)));
        }
        EtcdClientFiles.disable();
        HostAddresses.followMoves();
        Quarkus.run(arguments);
    }
}
