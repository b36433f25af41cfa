package dev.forebay.devstack.server;

import dev.forebay.devstack.DevstackException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Free ports of 127.0.0.1.
 *
 * <p>They are taken from 20000 to 31999, below the range from which the kernel takes ports for
 * outgoing connections. Otherwise a client that keeps trying to reach a killed server may get that
 * server's port as its own local port: it then talks to itself, and the server cannot come back.
 */
public final class Ports {
    private static final int FIRST = 20_000;
    private static final int COUNT = 12_000;
    private static final Set<Integer> GIVEN = new HashSet<>();

    private Ports() {}

    /** A port nobody listens on now, and that this JVM was not given before. */
    public static int free() {
        synchronized (GIVEN) {
            int start = ThreadLocalRandom.current().nextInt(COUNT);
            for (int i = 0; i < COUNT; i++) {
                int port = FIRST + (start + i) % COUNT;
                if (!GIVEN.contains(port) && isFree(port)) {
                    GIVEN.add(port);
                    return port;
                }
            }
        }
        throw new DevstackException("no free port between 20000 and 31999 on 127.0.0.1");
    }

    /** Whether a server could listen on this port of 127.0.0.1 now. */
    public static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1);
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
