package dev.forebay.lake.s3;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import software.amazon.awssdk.core.async.AsyncResponseTransformer;
import software.amazon.awssdk.core.async.SdkPublisher;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;

/**
 * Takes the body of one answer into a buffer, if the answer is the one that was asked for.
 *
 * <p>The network's threads write into the buffer until this is closed and never after: then the
 * buffer is its owner's again, though an answer may still trickle in.
 */
final class RangeReader
        implements AsyncResponseTransformer<GetObjectResponse, Void>, AutoCloseable {

    private final ByteBuffer target;
    private final String etag;
    private final long size;
    private final long offset;
    private final LongAdder received;
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private boolean closed;

    /**
     * @param target what to fill; its own position does not move
     * @param size of the whole object
     * @param received counts bytes of bodies
     */
    RangeReader(ByteBuffer target, String etag, long size, long offset, LongAdder received) {
        this.target = target.duplicate();
        this.etag = etag;
        this.size = size;
        this.offset = offset;
        this.received = received;
    }

    @Override
    public CompletableFuture<Void> prepare() {
        return done;
    }

    @Override
    public void onResponse(GetObjectResponse response) {
        ForebayException wrong = check(response);
        if (wrong != null) {
            done.completeExceptionally(wrong);
        }
    }

    private @Nullable ForebayException check(GetObjectResponse response) {
        String answered = S3Listing.unquoted(response.eTag());
        if (!answered.isEmpty() && !etag.isEmpty() && !answered.equals(etag)) {
            return changed("its ETag is " + answered + ", not " + etag);
        }
        int wanted = target.remaining();
        boolean whole = offset == 0 && wanted == size;
        String range = response.contentRange();
        if (!whole || range != null) {
            String expected = "bytes %d-%d/".formatted(offset, offset + wanted - 1);
            if (range == null || !range.startsWith(expected)) {
                return unusable("asked for " + expected + ", it answers " + range);
            }
            if (!range.equals(expected + size) && !range.equals(expected + "*")) {
                return changed("it is not %d bytes long: %s".formatted(size, range));
            }
        }
        Long length = response.contentLength();
        if (length != null && length != wanted) {
            return whole
                    ? changed("it is %d bytes long, not %d".formatted(length, size))
                    : unusable("%d bytes for a range of %d".formatted(length, wanted));
        }
        return null;
    }

    private static ForebayException changed(String why) {
        return new ForebayException(ErrorCode.LAKE_OBJECT_CHANGED, why);
    }

    private static ForebayException unusable(String why) {
        return new ForebayException(ErrorCode.LAKE_UNAVAILABLE, why);
    }

    @Override
    public void onStream(SdkPublisher<ByteBuffer> publisher) {
        publisher.subscribe(new Body());
    }

    @Override
    public void exceptionOccurred(Throwable error) {
        done.completeExceptionally(error);
    }

    @Override
    public synchronized void close() {
        closed = true;
    }

    private synchronized boolean take(ByteBuffer bytes) {
        if (closed || bytes.remaining() > target.remaining()) {
            return false;
        }
        received.add(bytes.remaining());
        target.put(bytes);
        return true;
    }

    private synchronized int missing() {
        return target.remaining();
    }

    private final class Body implements Subscriber<ByteBuffer> {
        private @Nullable Subscription subscription;

        @Override
        public void onSubscribe(Subscription granted) {
            subscription = granted;
            if (done.isDone()) {
                granted.cancel();
            } else {
                granted.request(Long.MAX_VALUE);
            }
        }

        @Override
        public void onNext(ByteBuffer bytes) {
            if (!take(bytes)) {
                done.completeExceptionally(unusable("more bytes than were asked for"));
                if (subscription != null) {
                    subscription.cancel();
                }
            }
        }

        @Override
        public void onError(Throwable error) {
            done.completeExceptionally(error);
        }

        @Override
        public void onComplete() {
            int missing = missing();
            if (missing == 0) {
                done.complete(null);
            } else {
                done.completeExceptionally(
                        unusable("the answer ends %d bytes early".formatted(missing)));
            }
        }
    }
}
