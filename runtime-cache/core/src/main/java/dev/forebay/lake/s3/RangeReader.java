package dev.forebay.lake.s3;

import dev.forebay.lake.LakeObject;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.sync.ResponseTransformer;
import software.amazon.awssdk.http.AbortableInputStream;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;

/**
 * Checks one answer and copies its body into a buffer. Blocks, and writes to the buffer only on the
 * calling thread.
 */
final class RangeReader implements ResponseTransformer<GetObjectResponse, Boolean> {

    private static final int PIECE_BYTES = 64 << 10;

    private final ByteBuffer target;
    private final LakeObject object;
    private final long offset;
    private final LongAdder received;
    private long came;

    /**
     * @param target the buffer to fill; its own position does not change
     * @param object the object whose bytes are expected
     * @param received counts bytes of bodies
     */
    RangeReader(ByteBuffer target, LakeObject object, long offset, LongAdder received) {
        this.target = target.duplicate();
        this.object = object;
        this.offset = offset;
        this.received = received;
    }

    @Override
    public Boolean transform(GetObjectResponse response, AbortableInputStream body)
            throws IOException {
        ForebayException wrong = check(response);
        if (wrong != null) {
            // Closing the connection is cheaper than reading the rest of the body.
            body.abort();
            throw wrong;
        }
        byte[] piece = new byte[Math.min(PIECE_BYTES, target.remaining())];
        while (target.hasRemaining()) {
            int read = body.read(piece, 0, Math.min(piece.length, target.remaining()));
            if (read < 0) {
                throw unusable("the answer ends %d bytes early".formatted(target.remaining()));
            }
            received.add(read);
            came += read;
            target.put(piece, 0, read);
        }
        // The SDK compares the checksum when it reads the end of the body.
        if (body.read() >= 0) {
            body.abort();
            throw unusable("more bytes than were asked for");
        }
        return true;
    }

    /** Returns how many bytes of the body arrived. */
    long came() {
        return came;
    }

    private @Nullable ForebayException check(GetObjectResponse response) {
        ForebayException other = checkIdentity(response);
        if (other != null) {
            return other;
        }
        long size = object.size();
        int wanted = target.remaining();
        boolean whole = offset == 0 && wanted == size;
        String range = response.contentRange();
        if (!whole || range != null) {
            String expected = "bytes %d-%d/".formatted(offset, offset + wanted - 1);
            if (range == null || !range.startsWith(expected)) {
                return unsupported(
                        "the request was for %s, but the answer has %s".formatted(expected, range));
            }
            if (!range.equals(expected + size) && !range.equals(expected + "*")) {
                return changed("the object is not %d bytes long: %s".formatted(size, range));
            }
        }
        Long length = response.contentLength();
        if (length != null && length != wanted) {
            return whole
                    ? changed("the object is %d bytes long, not %d".formatted(length, size))
                    : unusable("%d bytes for a range of %d".formatted(length, wanted));
        }
        return null;
    }

    private @Nullable ForebayException checkIdentity(GetObjectResponse response) {
        String version = object.versionId();
        String sent = response.versionId();
        // Check the version id, too: a versioned object may have no ETag to compare, and a proxy
        // may drop the version id from the request.
        if (version != null && sent != null && !sent.equals(version)) {
            return unsupported(
                    "the request was for version %s, but the answer has version %s"
                            .formatted(version, sent));
        }
        String wanted = object.etag();
        if (wanted.isEmpty()) {
            return sent == null ? unidentified() : null;
        }
        String answered =
                ETag.time(wanted) == null
                        ? ETag.of(response.eTag()).value()
                        : response.lastModified() == null
                                ? ""
                                : ETag.ofTime(response.lastModified());
        if (answered.isEmpty()) {
            return unidentified();
        }
        if (answered.equals(ETag.weakened(wanted))) {
            // Proxies that compress weaken the ETag.
            return unsupported("its answer has a weak ETag, " + answered);
        }
        return answered.equals(wanted)
                ? null
                : changed("its ETag is " + answered + ", not " + wanted);
    }

    private static ForebayException changed(String why) {
        return new ForebayException(ErrorCode.LAKE_OBJECT_CHANGED, why);
    }

    private static ForebayException unidentified() {
        return unsupported("its answer does not say which object it is");
    }

    /** Retried, because a proxy may have answered. It is final if all attempts fail in this way. */
    private static ForebayException unsupported(String why) {
        return new ForebayException(
                ErrorCode.LAKE_UNSUPPORTED,
                why + ": the store, or a proxy before it, does not answer as S3 does");
    }

    private static ForebayException unusable(String why) {
        return new ForebayException(ErrorCode.LAKE_UNAVAILABLE, why);
    }
}
