package dev.forebay.transfer;

import dev.forebay.model.ChunkId;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.PackId;
import dev.forebay.placement.WorkerNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A request for a range of a pack, which verifies the answer. */
record RangeRequest(
        WorkerNode worker, Digest manifest, PackId pack, ByteRange range, boolean onlyIfCached) {

    RangeRequest {
        if (range.from() < 0
                || range.to() <= range.from()
                || range.to() > ChunkId.at(pack, range.from()).start() + ChunkId.CHUNK_BYTES) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "range %s of pack %s must contain a byte and end in the chunk in which it begins"
                            .formatted(range, pack));
        }
    }

    /** Fills {@code target} as {@link WorkerClient#read} promises. Returns empty on a miss. */
    Optional<ReadAnswer> send(
            Exchanges exchanges, ByteBuffer target, Duration timeout, Duration firstByte) {
        long deadline = System.nanoTime() + timeout.toNanos();
        Pending pending = begin(exchanges, target, timeout);
        try {
            long left = deadline - System.nanoTime();
            pending.exchange.awaitNanos(Math.min(left, firstByte.toNanos()));
            if (pending.bodyNanos() > 0) {
                pending.exchange.awaitNanos(deadline - System.nanoTime());
            }
            return pending.result();
        } finally {
            pending.abandon();
        }
    }

    /** Sends the request. Waits for a permit, but not for the answer. */
    Pending begin(Exchanges exchanges, ByteBuffer target, Duration timeout) {
        RangeReceiver receiver = new RangeReceiver(target.slice(target.position(), range.length()));
        List<String> fields = new ArrayList<>();
        fields.add("Range: " + range.requested());
        if (onlyIfCached) {
            fields.add("Cache-Control: " + WorkerProtocol.ONLY_IF_CACHED);
        }
        return new Pending(
                target,
                receiver,
                exchanges.begin(
                        worker, WorkerProtocol.read(pack, manifest), fields, receiver, timeout));
    }

    /**
     * A running read. The caller must call {@link #abandon} in the end. After that call, nothing is
     * written to the target. Not thread-safe.
     */
    final class Pending {

        private final ByteBuffer target;
        private final RangeReceiver receiver;
        private final Exchanges.Exchange<HttpHead> exchange;

        private Pending(
                ByteBuffer target, RangeReceiver receiver, Exchanges.Exchange<HttpHead> exchange) {
            this.target = target;
            this.receiver = receiver;
            this.exchange = exchange;
        }

        WorkerNode worker() {
            return worker;
        }

        int wanted() {
            return range.length();
        }

        Exchanges.Exchange<HttpHead> exchange() {
            return exchange;
        }

        /** Returns the nanoseconds since the answer's head arrived, or 0 if it has not arrived. */
        long bodyNanos() {
            return receiver.nanos();
        }

        /**
         * Returns the verified answer, or empty on a miss.
         *
         * @throws ForebayException if the read failed or is not complete yet
         */
        Optional<ReadAnswer> result() {
            HttpHead answer;
            try {
                answer = exchange.answer();
            } catch (ForebayException e) {
                throw receiver.received().hasRemaining() ? brokenOff(e, receiver.received()) : e;
            }
            if (onlyIfCached && answer.status() == WorkerProtocol.MISS_STATUS) {
                return Optional.empty();
            }
            if (answer.status() != 206) {
                throw refusal(answer, receiver.problem());
            }
            ByteBuffer bytes = receiver.received();
            verify(bytes, answer);
            target.position(target.position() + bytes.remaining());
            String source = answer.field(WorkerProtocol.SOURCE_HEADER);
            return Optional.of(new ReadAnswer(bytes.remaining(), Source.parse(source)));
        }

        void abandon() {
            exchange.abandon();
        }
    }

    private ForebayException refusal(HttpHead answer, byte[] problem) {
        ForebayException refusal = Problems.toException(worker, answer.status(), problem);
        if (answer.status() != 503 || answer.field("Retry-After").isEmpty()) {
            return refusal;
        }
        String what = String.valueOf(refusal.getMessage());
        return new ForebayException(refusal.code(), what, new BusyException(what));
    }

    private void verify(ByteBuffer bytes, HttpHead answer) {
        String contentRange = answer.field("Content-Range");
        boolean sensible =
                ByteRange.parse(contentRange)
                        .filter(sent -> sent.from() == range.from() && sent.to() <= range.to())
                        .filter(sent -> sent.length() == bytes.remaining())
                        .isPresent();
        if (!sensible) {
            throw corrupt(
                    "the request was for %s, but the response has Content-Range '%s' and %d bytes"
                            .formatted(range, contentRange, bytes.remaining()));
        }
        String checksums = answer.field(WorkerProtocol.CRC_HEADER);
        if (!BlockChecksums.match(checksums, bytes)) {
            throw corrupt(
                    checksums.isEmpty()
                            ? "sent %s without checksums".formatted(contentRange)
                            : "sent %s with bytes that do not match their checksums"
                                    .formatted(contentRange));
        }
    }

    /**
     * Marks a failure as broken off if the connection ended in the middle of the answer. The
     * worker's disk may be the cause then, but not if the reader gave up.
     */
    private ForebayException brokenOff(ForebayException failure, ByteBuffer received) {
        if (!(failure.getCause() instanceof IOException end)
                || end instanceof ProtocolViolationException) {
            return failure;
        }
        String what =
                "worker %s, pack %s: the answer to %s ends after %d bytes"
                        .formatted(worker.id(), pack, range, received.remaining());
        return new ForebayException(failure.code(), what, new TruncatedAnswerException(what, end));
    }

    private ForebayException corrupt(String what) {
        return new ForebayException(
                ErrorCode.CORRUPT, "worker %s, pack %s: %s".formatted(worker.id(), pack, what));
    }
}
