package dev.forebay.suite.fork;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.launcher.TagFilter.excludeTags;
import static org.junit.platform.launcher.TagFilter.includeTags;

import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.regex.Pattern;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * The main class of a test JVM. It reads names of test classes from a socket, runs them one after
 * the other, and sends each outcome at once. It ends when the runner closes the socket.
 */
public final class ForkMain {
    private ForkMain() {}

    /**
     * Runs until the socket is closed.
     *
     * @param arguments the path of the socket, the tag that a test must have, and the tag that it
     *     must not have; a tag may be empty
     */
    public static void main(String[] arguments) throws Exception {
        String included = arguments[1];
        String excluded = arguments[2];
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.connect(UnixDomainSocketAddress.of(Path.of(arguments[0])));
            LinkedBlockingQueue<String> requests = readInBackground(channel);
            DataOutputStream answers =
                    new DataOutputStream(
                            new BufferedOutputStream(Channels.newOutputStream(channel)));
            try (LauncherSession session = LauncherFactory.openSession()) {
                while (true) {
                    String request = requests.take();
                    OutcomeListener listener = new OutcomeListener(answers);
                    session.getLauncher().execute(discover(request, included, excluded), listener);
                    listener.end();
                }
            }
        }
    }

    /**
     * Reads requests in a thread of its own. This way the JVM ends at once, with its shutdown
     * hooks, if the runner dies during a test.
     */
    private static LinkedBlockingQueue<String> readInBackground(SocketChannel channel) {
        LinkedBlockingQueue<String> requests = new LinkedBlockingQueue<>();
        DataInputStream in = new DataInputStream(Channels.newInputStream(channel));
        Thread.ofPlatform()
                .daemon()
                .name("suite-requests")
                .start(
                        () -> {
                            try {
                                while (true) {
                                    requests.add(in.readUTF());
                                }
                            } catch (EOFException e) {
                                System.exit(0);
                            } catch (IOException e) {
                                System.exit(1);
                            }
                        });
        return requests;
    }

    private static LauncherDiscoveryRequest discover(
            String request, String included, String excluded) throws ClassNotFoundException {
        int hash = request.indexOf('#');
        String className = hash < 0 ? request : request.substring(0, hash);
        LauncherDiscoveryRequestBuilder builder =
                LauncherDiscoveryRequestBuilder.request()
                        .selectors(selectClass(Class.forName(className, false, loader())));
        if (hash >= 0) {
            builder.filters(methods(Pattern.compile(request.substring(hash + 1))));
        }
        if (!included.isEmpty()) {
            builder.filters(includeTags(included));
        }
        if (!excluded.isEmpty()) {
            builder.filters(excludeTags(excluded));
        }
        return builder.build();
    }

    private static ClassLoader loader() {
        return ForkMain.class.getClassLoader();
    }

    private static PostDiscoveryFilter methods(Pattern names) {
        return test -> {
            Optional<String> method =
                    test.getSource()
                            .filter(MethodSource.class::isInstance)
                            .map(source -> ((MethodSource) source).getMethodName());
            return FilterResult.includedIf(
                    method.map(name -> names.matcher(name).matches()).orElse(true));
        };
    }
}
