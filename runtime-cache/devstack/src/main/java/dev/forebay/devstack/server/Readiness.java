package dev.forebay.devstack.server;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.Socket;
import java.net.URI;
import java.util.function.IntPredicate;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** Checks whether a started process can be used. The caller polls until it can. */
@FunctionalInterface
public interface Readiness {
    /**
     * Returns whether the process is ready now.
     *
     * @throws IOException if the check fails, which counts as not ready
     */
    boolean ready() throws IOException, InterruptedException;

    /** Ready when a GET answers with 200. */
    static Readiness ok(URI address) {
        return http(address, null, status -> status == 200);
    }

    /** Ready when a GET answers with 200, on a connection that this context creates. */
    static Readiness ok(URI address, SSLContext context) {
        return http(address, context, status -> status == 200);
    }

    /**
     * Ready when a GET has an answer below 500: a refusal also shows that the process serves
     * requests.
     */
    static Readiness answers(URI address) {
        return http(address, null, status -> status < 500);
    }

    /** Ready when a process accepts connections on a port of 127.0.0.1. */
    static Readiness accepts(int port) {
        return () -> {
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1000);
                return true;
            }
        };
    }

    /**
     * Does not use {@code HttpClient}, which would start a thread for each of many polls a second.
     */
    private static Readiness http(URI address, @Nullable SSLContext context, IntPredicate good) {
        return () -> {
            if (!(address.toURL().openConnection(Proxy.NO_PROXY)
                    instanceof HttpURLConnection http)) {
                throw new IllegalArgumentException(address + " is not http");
            }
            if (context != null && http instanceof HttpsURLConnection https) {
                https.setSSLSocketFactory(context.getSocketFactory());
            }
            http.setConnectTimeout(1000);
            http.setReadTimeout(2000);
            http.setRequestProperty("Connection", "close");
            try {
                return good.test(http.getResponseCode());
            } finally {
                http.disconnect();
            }
        };
    }
}
