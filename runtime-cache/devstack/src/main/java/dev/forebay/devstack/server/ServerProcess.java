package dev.forebay.devstack.server;

import dev.forebay.devstack.DevstackException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Starts one process, waits until it is ready, signals it, and stops it.
 *
 * <p>Its output goes to {@code <name>.log}, its identity to {@code <name>.pid}, which exists until
 * this class stops the process. A process with {@link Launch.Lifetime#THIS_JVM} is stopped by a
 * shutdown hook, and by the kernel if this JVM dies without running it.
 */
public final class ServerProcess implements Server {
    private static final Duration POLL = Duration.ofMillis(25);
    private static final Set<ServerProcess> OURS = ConcurrentHashMap.newKeySet();

    /** The first process that must not outlive this JVM loads this class. */
    private static final class ShutdownHook {
        static {
            Runtime.getRuntime()
                    .addShutdownHook(new Thread(ServerProcess::stopAll, "devstack-stop"));
        }

        private ShutdownHook() {}

        static void stops(ServerProcess server) {
            OURS.add(server);
        }
    }

    private final Launch launch;
    private @Nullable ProcessHandle process;
    private boolean paused;

    private ServerProcess(Launch launch) {
        this.launch = launch;
    }

    /**
     * Starts a process and returns when it is ready.
     *
     * @throws DevstackException if the process ends or does not become ready in time. The message
     *     has the end of its log, and the process has been stopped
     */
    public static ServerProcess start(Launch launch) {
        ServerProcess server = new ServerProcess(launch);
        server.restart();
        return server;
    }

    /**
     * Prevents later starts of processes by this JVM: they throw a {@link DevstackException}.
     * Returns when all processes that are being started have their pid files.
     */
    public static void startNoMore() {
        Spawner.stopSpawning();
    }

    @Override
    public String name() {
        return launch.name();
    }

    @Override
    public Path log() {
        return launch.log();
    }

    /** Returns the id of the process, -1 if it was never started. */
    public synchronized long pid() {
        return process == null ? -1 : process.pid();
    }

    @Override
    public synchronized boolean isAlive() {
        // The handle alone also counts a process that has ended and was not reaped yet.
        return process != null
                && process.isAlive()
                && ProcessIdentity.of(process.pid()).isPresent();
    }

    @Override
    public void restart() {
        close();
        ProcessHandle started = spawn();
        try {
            // Outside the monitor, because a process that is not ready yet must be stoppable.
            awaitReady(started);
        } catch (InterruptedException e) {
            kill9();
            Thread.currentThread().interrupt();
            throw new DevstackException(name() + " was not awaited: interrupted", e);
        } catch (RuntimeException e) {
            kill9();
            throw e;
        }
    }

    private synchronized ProcessHandle spawn() {
        try {
            Files.createDirectories(launch.directory());
            if (launch.lifetime() == Launch.Lifetime.THIS_JVM) {
                ShutdownHook.stops(this);
            }
            ProcessHandle started = Spawner.spawn(launch);
            process = started;
            return started;
        } catch (IOException e) {
            OURS.remove(this);
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public synchronized void kill9() {
        if (process != null) {
            Signals.killTree(process);
        }
        forget();
    }

    @Override
    public synchronized void pause() {
        forAll(Signals::pause);
        paused = true;
    }

    @Override
    public synchronized void resume() {
        forAll(pid -> Signals.send(pid, "CONT"));
        paused = false;
    }

    @Override
    public synchronized void close() {
        if (isAlive() && process != null) {
            if (paused) {
                resume();
            }
            Signals.stop(process, launch.stopSignal(), launch.stopWithin());
        }
        forget();
    }

    private void forAll(LongConsumer signal) {
        if (process == null || !process.isAlive()) {
            throw new DevstackException(name() + " is not running");
        }
        // Includes the children: a backend of PostgreSQL continues when its parent is stopped.
        signal.accept(process.pid());
        process.descendants().forEach(child -> signal.accept(child.pid()));
    }

    private void forget() {
        OURS.remove(this);
        paused = false;
        try {
            Files.deleteIfExists(launch.pidFile());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void awaitReady(ProcessHandle started) throws InterruptedException {
        long deadline = System.nanoTime() + launch.readyWithin().toNanos();
        @Nullable IOException last = null;
        while (started.isAlive()) {
            try {
                if (launch.ready().ready()) {
                    return;
                }
            } catch (IOException e) {
                last = e;
            }
            if (System.nanoTime() - deadline > 0) {
                throw failure(
                        "was not ready within " + launch.readyWithin().toSeconds() + " s", last);
            }
            Thread.sleep(POLL);
        }
        throw failure("ended while it was starting", last);
    }

    private DevstackException failure(String what, @Nullable IOException cause) {
        String message =
                "%s %s. The end of %s:%n%s".formatted(name(), what, log(), LogTail.of(log()));
        return cause == null
                ? new DevstackException(message)
                : new DevstackException(message, cause);
    }

    private static void stopAll() {
        Spawner.stopSpawning();
        List<Thread> stopping = new ArrayList<>();
        for (ServerProcess server : OURS) {
            stopping.add(Thread.ofVirtual().start(server::close));
        }
        for (Thread thread : stopping) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                return;
            }
        }
    }
}
