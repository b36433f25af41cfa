package dev.forebay.transfer;

import java.io.IOException;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Receives the body of one answer into a file. Any thread can read the progress meanwhile.
 * Distinguishes a failure of the file from one of the connection.
 */
final class FileReceiver {

    private final Path file;
    private volatile boolean began;
    private final AtomicLong received = new AtomicLong();
    private volatile @Nullable IOException failure;

    /**
     * @param file the file to write, which is overwritten
     */
    FileReceiver(Path file) {
        this.file = file;
    }

    /**
     * Returns a handler whose result is empty when the file is complete, or the body of a refusal.
     */
    BodyHandler<byte[]> handler() {
        return info ->
                info.statusCode() == 200 ? new IntoFile() : Exchanges.limitedBytes().apply(info);
    }

    /** Returns whether the head of an answer with a file has arrived. */
    boolean began() {
        return began;
    }

    /** Returns the number of bytes in the file. */
    long received() {
        return received.get();
    }

    /** Returns the reason if the file could not be written. */
    Optional<IOException> failure() {
        return Optional.ofNullable(failure);
    }

    /** Reactive Streams (rule 1.3) guarantees that one thread at a time calls the methods. */
    private final class IntoFile implements BodySubscriber<byte[]> {
        private final CompletableFuture<byte[]> body = new CompletableFuture<>();
        private Flow.@Nullable Subscription subscription;
        private @Nullable FileChannel channel;

        @Override
        public CompletionStage<byte[]> getBody() {
            return body;
        }

        @Override
        public void onSubscribe(Flow.Subscription given) {
            subscription = given;
            began = true;
            try {
                channel =
                        FileChannel.open(
                                file,
                                StandardOpenOption.CREATE,
                                StandardOpenOption.WRITE,
                                StandardOpenOption.TRUNCATE_EXISTING);
                given.request(1);
            } catch (IOException e) {
                failed(e);
            }
        }

        @Override
        public void onNext(List<ByteBuffer> buffers) {
            FileChannel to = channel;
            if (to == null || subscription == null) {
                return;
            }
            try {
                for (ByteBuffer buffer : buffers) {
                    int bytes = buffer.remaining();
                    while (buffer.hasRemaining()) {
                        to.write(buffer);
                    }
                    long _ = received.addAndGet(bytes);
                }
                subscription.request(1);
            } catch (IOException e) {
                failed(e);
            }
        }

        private void failed(IOException e) {
            failure = e;
            body.completeExceptionally(e);
            if (subscription != null) {
                subscription.cancel();
            }
            close();
        }

        @Override
        public void onError(Throwable broken) {
            close();
            body.completeExceptionally(broken);
        }

        @Override
        public void onComplete() {
            close();
            body.complete(new byte[0]);
        }

        /** Closes the file. Some file systems report a full disk only now. */
        private void close() {
            FileChannel open = channel;
            channel = null;
            if (open != null) {
                try {
                    open.close();
                } catch (IOException e) {
                    failure = e;
                    body.completeExceptionally(e);
                }
            }
        }
    }
}
