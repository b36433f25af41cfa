package dev.forebay.control.ingest;

import dev.forebay.control.catalogue.LakeSource;
import dev.forebay.control.config.ControlPlaneConfig;
import dev.forebay.lake.LakeReader;
import dev.forebay.lake.Listing;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Checks the source of a dataset at its registration by listing its first object. An unusable
 * source fails then, and not when a job waits for it. Thread-safe.
 */
@Singleton
public class SourceProbe {

    /** No retry solves these. A bucket that does not exist may be created later. */
    private static final Set<ErrorCode> REFUSALS =
            Set.of(ErrorCode.LAKE_DENIED, ErrorCode.LAKE_UNSUPPORTED);

    private final LakeReader lake;
    private final LakeCommands commands;
    private final Optional<String> ownBucket;
    private final Duration timeout;

    @Inject
    SourceProbe(LakeReader lake, LakeCommands commands, ControlPlaneConfig config) {
        this(lake, commands, config.manifestBucket(), config.requests().lakeTimeout());
    }

    SourceProbe(
            LakeReader lake, LakeCommands commands, Optional<String> ownBucket, Duration timeout) {
        this.lake = lake;
        this.commands = commands;
        this.ownBucket = ownBucket;
        this.timeout = timeout;
    }

    /**
     * Refuses a source from which no version can be made. Accepts an empty source, and any source
     * while the lake does not answer.
     *
     * @return what the user should check, because it may be a mistake; empty if there is an object
     * @throws ForebayException {@code INVALID_ARGUMENT} if Forebay writes to its bucket; {@code
     *     LAKE_DENIED} or {@code LAKE_UNSUPPORTED} as the lake answers
     */
    public Optional<String> check(LakeSource source) {
        requireNotOwn("source", source.bucket(), source.toString());
        LakeSource.Address keys = source.keysAddress();
        if (keys != null) {
            requireNotOwn("keys", keys.bucket(), String.valueOf(source.keys()));
        }
        FutureTask<Optional<String>> probing = new FutureTask<>(() -> probe(source));
        Thread.startVirtualThread(probing);
        try {
            return probing.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException _) {
            probing.cancel(true);
            return Optional.of(
                    "Forebay did not check %s, because the lake did not answer within %d s"
                            .formatted(source.describe(), timeout.toSeconds()));
        } catch (ExecutionException e) {
            if (!(e.getCause() instanceof ForebayException failure)) {
                throw new IllegalStateException(
                        "the check of a source failed because of a defect in Forebay: report it with this stack trace",
                        e.getCause());
            }
            if (REFUSALS.contains(failure.code())) {
                throw new ForebayException(
                        failure.code(), String.valueOf(failure.getMessage()), failure);
            }
            return Optional.of(failure.code() + ": " + failure.getMessage());
        } catch (InterruptedException e) {
            probing.cancel(true);
            Thread.currentThread().interrupt();
            throw new ForebayException(
                    ErrorCode.UNAVAILABLE,
                    "the registration was interrupted before it ended: retry it",
                    e);
        }
    }

    private void requireNotOwn(String field, String bucket, String value) {
        if (ownBucket.filter(bucket::equals).isPresent()) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "%s '%s' must not be in the bucket that Forebay itself writes to, forebay.manifest-bucket"
                            .formatted(field, value));
        }
    }

    private Optional<String> probe(LakeSource source) {
        if (isEmpty(source.bucket(), source.chosenPrefix())) {
            return Optional.of(
                    "the source has no object yet: compare with '%s'"
                            .formatted(commands.list(source)));
        }
        LakeSource.Address keys = source.keysAddress();
        return keys != null && isEmpty(keys.bucket(), keys.key())
                ? Optional.of("the object %s does not exist yet".formatted(source.keys()))
                : Optional.empty();
    }

    private boolean isEmpty(String bucket, String prefix) {
        Listing.Page first = lake.listing(bucket, prefix).page(null, 1);
        return first.objects().isEmpty() && (first.next() == null);
    }
}
