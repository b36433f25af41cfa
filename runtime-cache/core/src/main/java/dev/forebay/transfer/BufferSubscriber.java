package dev.forebay.transfer;

import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow.Subscription;

/**
 * Receives a body into a buffer that belongs to somebody else.
 *
 * <p>After {@link #release} nothing is written any more: a body that comes in after its request was
 * given up must not scribble over what the next worker sends.
 */
final class BufferSubscriber implements BodySubscriber<Void> {

    private final ByteBuffer target;
    private final CompletableFuture<Void> body = new CompletableFuture<>();
    private volatile long beganNanos;
    private volatile boolean began;
    private boolean released;

    BufferSubscriber(ByteBuffer target) {
        this.target = target.slice();
    }

    @Override
    public CompletionStage<Void> getBody() {
        return body;
    }

    @Override
    public void onSubscribe(Subscription subscription) {
        subscription.request(Long.MAX_VALUE);
    }

    @Override
    public synchronized void onNext(List<ByteBuffer> parts) {
        for (ByteBuffer part : parts) {
            if (released) {
                return;
            }
            if (part.remaining() > target.remaining()) {
                released = true;
                body.completeExceptionally(new MisbehavedException("sent more than was asked for"));
                return;
            }
            target.put(part);
        }
    }

    @Override
    public void onError(Throwable failure) {
        body.completeExceptionally(failure);
    }

    @Override
    public void onComplete() {
        body.complete(null);
    }

    /** The answer's head is here. */
    void begin() {
        beganNanos = System.nanoTime();
        began = true;
    }

    /** How long ago the answer's head came, 0 if it did not. */
    long nanos() {
        return began ? Math.max(1, System.nanoTime() - beganNanos) : 0;
    }

    /** What has come in. */
    synchronized ByteBuffer received() {
        return target.duplicate().flip();
    }

    synchronized void release() {
        released = true;
    }
}
