package dev.forebay.control.engine;

import dev.forebay.control.ControlPlaneConfig;
import dev.forebay.control.catalogue.LakeSource;
import dev.forebay.lake.Lake;
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
 * Asks the lake for the first object of a source that is to be registered, so that an unusable
 * source is refused then, and not when a job waits for it. Safe for use by many threads.
 */
@Singleton
public class SourceProbe {

    /** No later attempt mends these. A bucket that does not exist may be made later. */
    private static final Set<ErrorCode> REFUSALS =
            Set.of(ErrorCode.LAKE_DENIED, ErrorCode.LAKE_UNSUPPORTED);

    private final Lake lake;
    private final Optional<String> ownBucket;
    private final Duration patience;

    @Inject
    SourceProbe(Lake lake, ControlPlaneConfig config) {
        this(lake, config.manifestBucket(), config.requests().lakeTimeout());
    }

    SourceProbe(Lake lake, Optional<String> ownBucket, Duration patience) {
        this.lake = lake;
        this.ownBucket = ownBucket;
        this.patience = patience;
    }

    /**
     * Refuses a source that no version can be made of. Accepts one that is empty, and any while the
     * lake does not answer.
     *
     * @throws ForebayException {@code INVALID_ARGUMENT} if it is in a bucket that Forebay writes
     *     to; {@code LAKE_DENIED} or {@code LAKE_UNSUPPORTED} as the lake answers
     */
    public void check(LakeSource source) {
        requireNotOwn("source", source.bucket(), source.toString());
        LakeSource.Address keys = source.keysAddress();
        if (keys != null) {
            requireNotOwn("keys", keys.bucket(), String.valueOf(source.keys()));
        }
        FutureTask<?> looking = new FutureTask<>(() -> look(source), null);
        Thread.startVirtualThread(looking);
        try {
            looking.get(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException _) {
            looking.cancel(true);
        } catch (ExecutionException e) {
            if (!(e.getCause() instanceof ForebayException failure)) {
                throw new IllegalStateException("a look at a source has a defect", e.getCause());
            }
            if (REFUSALS.contains(failure.code())) {
                throw new ForebayException(
                        failure.code(), String.valueOf(failure.getMessage()), failure);
            }
        } catch (InterruptedException e) {
            looking.cancel(true);
            Thread.currentThread().interrupt();
            throw new ForebayException(ErrorCode.UNAVAILABLE, "the registration was stopped", e);
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

    private void look(LakeSource source) {
        var _ = lake.listing(source.bucket(), source.chosenPrefix()).page(null, 1);
        LakeSource.Address keys = source.keysAddress();
        if (keys != null) {
            var _ = lake.listing(keys.bucket(), keys.key()).page(null, 1);
        }
    }
}
