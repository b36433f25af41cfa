package dev.forebay.worker.fill;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Ticker;
import dev.forebay.manifest.Segment;
import dev.forebay.model.ForebayException;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Remembers objects that were recently found changed in the lake, so that readers that retry do not
 * make the worker ask the lake each time. Prewarms ignore this memory, because they run after an
 * operator has put the object back. Bounded in time and number. Safe for use by many threads.
 */
final class ChangedObjects {

    private final Cache<Identity, ForebayException> changed;

    ChangedObjects(Duration memory, int objects) {
        this(memory, objects, Ticker.systemTicker());
    }

    ChangedObjects(Duration memory, int objects, Ticker ticker) {
        this.changed =
                Caffeine.newBuilder()
                        .maximumSize(objects)
                        .expireAfterWrite(memory)
                        .ticker(ticker)
                        .executor(Runnable::run)
                        .build();
    }

    Optional<ForebayException> find(String bucket, Segment segment) {
        return Optional.ofNullable(changed.getIfPresent(Identity.of(bucket, segment)));
    }

    void remember(String bucket, Segment segment, ForebayException failure) {
        changed.put(Identity.of(bucket, segment), failure);
    }

    void forget(String bucket, Segment segment) {
        changed.invalidate(Identity.of(bucket, segment));
    }

    private record Identity(String bucket, String key, String etag, @Nullable String versionId) {
        static Identity of(String bucket, Segment segment) {
            return new Identity(
                    bucket, segment.key(), segment.object().etag(), segment.object().versionId());
        }
    }
}
