package dev.forebay.fuse.hold;

import dev.forebay.fuse.hold.Connection.Received;
import dev.forebay.fuse.linux.UnixSocket;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A liveness check of a holder. It connects and pings as a server does, so it also covers
 * accepting.
 */
public final class HolderLivenessCheck {

    private final Path directory;

    // Guarded by this.
    private @Nullable Connection open;

    private HolderLivenessCheck(Path directory) {
        this.directory = directory;
    }

    /**
     * Returns whether the holder of a directory answers in time.
     *
     * @param directory see {@link Holder#listen}
     */
    public static boolean of(Path directory, Duration timeout) {
        return new HolderLivenessCheck(directory).within(timeout);
    }

    private boolean within(Duration timeout) {
        CompletableFuture<Boolean> answer = new CompletableFuture<>();
        // Connecting blocks while the holder's backlog is full.
        Holder.thread("life-sign", () -> answer.complete(ask()));
        try {
            return answer.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            hangUp();
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } catch (ExecutionException e) {
            throw new AssertionError(e);
        }
    }

    private boolean ask() {
        try {
            Connection holder = new Connection(UnixSocket.connect(Holder.socket(directory)));
            open(holder);
            try {
                holder.say(HolderMessage.PING);
                Optional<Received> received = holder.receive(HolderMessage.MOUNT);
                while (received.isPresent() && received.get().message() != HolderMessage.PONG) {
                    received = holder.receive(HolderMessage.MOUNT);
                }
                return received.isPresent();
            } finally {
                close(holder);
            }
        } catch (IOException e) {
            return false;
        }
    }

    private synchronized void open(Connection holder) {
        open = holder;
    }

    private synchronized void hangUp() {
        if (open != null) {
            open.hangUp();
        }
    }

    /** Not concurrent with a hang-up: the number of a closed descriptor can be reused. */
    private synchronized void close(Connection holder) {
        open = null;
        holder.close();
    }
}
