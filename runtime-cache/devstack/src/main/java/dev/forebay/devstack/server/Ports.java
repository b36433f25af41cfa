package dev.forebay.devstack.server;

import dev.forebay.devstack.DevstackException;
import dev.forebay.devstack.tool.Machine;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;

/**
 * Chooses free ports of 127.0.0.1.
 *
 * <p>It avoids ports that the kernel uses for outgoing connections, if the machine leaves others.
 * Otherwise a client that retries to reach a killed server may get that server's port as its own
 * local port. It then talks to itself, and the server cannot start again.
 */
public final class Ports {
    /** Few well-known services listen in this range, and by default no connection begins there. */
    private static final int FIRST = 20_000;

    private static final int LAST = 31_999;
    private static final int FIRST_UNPRIVILEGED = 1_024;
    private static final int LAST_OF_ALL = 65_535;

    /** With fewer candidates, tests that run at the same time would choose the same ports. */
    private static final int ENOUGH = 1_000;

    private static final Set<Integer> GIVEN = new HashSet<>();
    private static final PortLocks LOCKS = PortLocks.in(Machine.current().cache().resolve("ports"));

    private Ports() {}

    /** Returns a port without a listener that no earlier call of a running JVM has returned. */
    public static int free() {
        int[] candidates = candidates(EphemeralPorts.ofThisMachine());
        synchronized (GIVEN) {
            int start = ThreadLocalRandom.current().nextInt(candidates.length);
            for (int i = 0; i < candidates.length; i++) {
                int port = candidates[(start + i) % candidates.length];
                if (!GIVEN.contains(port) && isFree(port) && LOCKS.take(port)) {
                    GIVEN.add(port);
                    return port;
                }
            }
        }
        throw new DevstackException(
                "no free port among the %d from %d to %d on 127.0.0.1"
                        .formatted(
                                candidates.length,
                                candidates[0],
                                candidates[candidates.length - 1]));
    }

    /** Returns whether a server could listen on this port of 127.0.0.1 now. */
    public static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** Returns the ports to choose from, in ascending order. */
    static int[] candidates(EphemeralPorts ephemeral) {
        int[] usual = outside(ephemeral, FIRST, LAST);
        if (usual.length >= ENOUGH) {
            return usual;
        }
        int[] all = outside(ephemeral, FIRST_UNPRIVILEGED, LAST_OF_ALL);
        return all.length >= ENOUGH ? all : IntStream.rangeClosed(FIRST, LAST).toArray();
    }

    private static int[] outside(EphemeralPorts ephemeral, int first, int last) {
        return IntStream.rangeClosed(first, last)
                .filter(port -> !ephemeral.contains(port))
                .toArray();
    }
}
