package dev.forebay.suite;

import dev.forebay.suite.fork.ForkMain;
import dev.forebay.suite.fork.TestOutcome;
import java.io.BufferedReader;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.platform.launcher.Launcher;

/**
 * A test JVM for one module and part. Only one thread at a time may use it, except for {@link
 * #close}, which any thread may call.
 */
final class Fork implements AutoCloseable {
    /** The longest time of one test that sets no limit of its own. */
    static final Duration TEST_LIMIT = Duration.ofMinutes(5);

    private static final Duration STARTS_WITHIN = Duration.ofSeconds(60);
    private static final Duration ENDS_WITHIN = Duration.ofSeconds(20);

    private final MavenModule module;
    private final SuitePart part;
    private final Process process;
    private final SocketChannel channel;
    private final DataOutputStream requests;
    private final DataInputStream answers;
    private volatile Writer log;

    private Fork(
            MavenModule module, SuitePart part, Process process, SocketChannel channel, Path log)
            throws IOException {
        this.module = module;
        this.part = part;
        this.process = process;
        this.channel = channel;
        this.requests = new DataOutputStream(Channels.newOutputStream(channel));
        this.answers = new DataInputStream(Channels.newInputStream(channel));
        this.log = Files.newBufferedWriter(log);
    }

    /**
     * Starts a JVM.
     *
     * @param number differs from that of every other fork of the run
     * @param directory of this fork only, for temporary files; a short path, because tests create
     *     sockets below it
     * @param logs where the output of classes is kept
     * @param options of the JVM, in addition to those that every fork has
     */
    static Fork start(
            MavenModule module,
            SuitePart part,
            int number,
            Path directory,
            Path logs,
            List<String> options)
            throws IOException {
        Path socket = directory.resolve("suite.sock");
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(socket));
            Process process = spawn(module, part, number, directory, socket, options);
            SocketChannel channel = accept(server, process);
            Fork fork =
                    new Fork(
                            module,
                            part,
                            process,
                            channel,
                            logs.resolve("fork-" + number + ".log"));
            // A platform thread: reading a pipe would block a carrier of virtual threads.
            Thread.ofPlatform().daemon().name("output of fork " + number).start(fork::copyOutput);
            return fork;
        }
    }

    private static SocketChannel accept(ServerSocketChannel server, Process process)
            throws IOException {
        CompletableFuture<SocketChannel> accepted = new CompletableFuture<>();
        Thread.ofVirtual()
                .start(
                        () -> {
                            try {
                                accepted.complete(server.accept());
                            } catch (IOException e) {
                                accepted.completeExceptionally(e);
                            }
                        });
        var _ = process.onExit().thenAccept(it -> accepted.completeExceptionally(ended(it)));
        try {
            return accepted.get(STARTS_WITHIN.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            process.destroyForcibly();
            throw new IOException("A test JVM did not start", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            process.destroyForcibly();
            throw new IOException("interrupted", e);
        }
    }

    private static IOException ended(Process process) {
        try (BufferedReader output = process.inputReader()) {
            return new IOException(
                    "The JVM ended with status %d and printed:%n%s"
                            .formatted(
                                    process.exitValue(),
                                    output.lines().limit(50).collect(Collectors.joining("\n"))));
        } catch (IOException e) {
            return e;
        }
    }

    private static Process spawn(
            MavenModule module,
            SuitePart part,
            int number,
            Path directory,
            Path socket,
            List<String> options)
            throws IOException {
        List<Path> classPath = new ArrayList<>(module.classPath());
        classPath.add(codeOf(ForkMain.class));
        classPath.add(codeOf(Launcher.class));
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(
                List.of(
                        "-Xmx1g",
                        "-XX:+UseSerialGC",
                        "--enable-native-access=ALL-UNNAMED",
                        "--sun-misc-unsafe-memory-access=allow",
                        "-Djava.io.tmpdir=" + directory,
                        "-Dforebay.test.fork=" + number,
                        "-Djunit.jupiter.execution.timeout.default=" + TEST_LIMIT.toSeconds()));
        if (classPath.stream().anyMatch(path -> path.toString().contains("jboss-logmanager"))) {
            command.add("-Djava.util.logging.manager=org.jboss.logmanager.LogManager");
        }
        command.addAll(options);
        command.add("-cp");
        command.add(
                classPath.stream()
                        .map(Path::toString)
                        .collect(Collectors.joining(File.pathSeparator)));
        command.add(ForkMain.class.getName());
        command.add(socket.toString());
        command.add(part.included());
        command.add(part.excluded());
        return new ProcessBuilder(command)
                .directory(module.directory().toFile())
                .redirectErrorStream(true)
                .start();
    }

    private static Path codeOf(Class<?> type) {
        try {
            return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (java.net.URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns whether this JVM can run the class: it serves one module and part. */
    boolean suits(TestClass test) {
        return test.module().equals(module) && test.part() == part;
    }

    ProcessTree tree() {
        return new ProcessTree(process.toHandle());
    }

    /**
     * Runs a class.
     *
     * @param received receives the outcomes, also those before a failure
     * @param methods a regular expression that the methods must match, or empty for all methods
     * @param limit after which the class counts as hung
     * @throws IOException if the JVM ends meanwhile, or does not answer in time
     */
    void run(
            TestClass test,
            String methods,
            Path logFile,
            HangLimit limit,
            ReceivedOutcomes received)
            throws IOException {
        switchLog(logFile);
        CompletableFuture<Boolean> ended = new CompletableFuture<>();
        requests.writeUTF(methods.isEmpty() ? test.name() : test.name() + "#" + methods);
        requests.flush();
        Thread.ofVirtual()
                .start(
                        () -> {
                            try {
                                while (answers.readBoolean()) {
                                    received.add(TestOutcome.readFrom(answers));
                                }
                                ended.complete(true);
                            } catch (IOException e) {
                                ended.completeExceptionally(e);
                            }
                        });
        try {
            if (!limit.await(millis -> endsWithin(ended, millis))) {
                received.stop();
                dumpThreads();
                throw new IOException(
                        "The class did not end within %d s; its log has the threads of the JVM"
                                .formatted(limit.elapsed().toSeconds()));
            }
        } catch (ExecutionException e) {
            throw new IOException("The JVM ended while the class was running", e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    private static boolean endsWithin(CompletableFuture<?> ended, long millis)
            throws ExecutionException, InterruptedException {
        try {
            ended.get(millis, TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        }
    }

    /** Sends SIGQUIT, on which a JVM prints its threads. */
    private void dumpThreads() throws IOException {
        try {
            new ProcessBuilder("/bin/sh", "-c", "kill -QUIT " + process.pid()).start().waitFor();
            process.waitFor(2, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized void switchLog(Path file) throws IOException {
        log.close();
        log = Files.newBufferedWriter(file);
    }

    private void copyOutput() {
        try (Stream<String> lines =
                new BufferedReader(
                                new InputStreamReader(
                                        process.getInputStream(), StandardCharsets.UTF_8))
                        .lines()) {
            lines.forEach(this::log);
        } catch (UncheckedIOException e) {
            // The process has ended.
        }
    }

    private synchronized void log(String line) {
        try {
            log.write(line);
            log.write('\n');
            log.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Ends the JVM and all processes that it started. */
    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            // The signal below ends the JVM, too.
        }
        tree().end(ENDS_WITHIN);
    }
}
