package dev.forebay.lake.s3;

import dev.forebay.lake.LakeObject;
import dev.forebay.lake.s3.S3Failure.Request;
import dev.forebay.model.ForebayException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import software.amazon.awssdk.services.s3.S3AsyncClient;

/**
 * Checks whether objects of Intelligent-Tiering are in one of its archive tiers, which a listing
 * does not show. It checks only the oldest such object of each page: checking all objects would
 * cost a thousand times the requests of the listing. Thread-safe.
 */
final class ArchiveProbe {

    /** Intelligent-Tiering does not archive objects that were read or written within this time. */
    private static final Duration SOONEST = Duration.ofDays(90);

    private final S3AsyncClient client;
    private final RetryPolicy attempts;
    private final String bucket;

    ArchiveProbe(S3AsyncClient client, RetryPolicy attempts, String bucket) {
        this.client = client;
        this.attempts = attempts;
        this.bucket = bucket;
    }

    /**
     * Returns the objects of a page. The object that was checked has its tier as its storage class.
     */
    List<LakeObject> look(List<LakeObject> objects) {
        Instant latest = Instant.now().minus(SOONEST);
        Optional<LakeObject> oldest =
                objects.stream()
                        .filter(object -> StorageClass.TIERING.equals(object.storageClass()))
                        .min(Comparator.comparing(LakeObject::modified))
                        .filter(object -> object.modified().isBefore(latest));
        Optional<String> tier = oldest.flatMap(this::tier);
        if (tier.isEmpty()) {
            return objects;
        }
        List<LakeObject> looked = new ArrayList<>(objects);
        looked.replaceAll(object -> object.equals(oldest.get()) ? object.in(tier.get()) : object);
        return looked;
    }

    private Optional<String> tier(LakeObject object) {
        try {
            return Optional.ofNullable(
                    attempts.run(
                                    Request.read(object.versionId()),
                                    "s3://" + bucket + "/" + object.key(),
                                    () ->
                                            client.headObject(
                                                    b ->
                                                            b.bucket(bucket)
                                                                    .key(object.key())
                                                                    .versionId(object.versionId())))
                            .archiveStatusAsString());
        } catch (ForebayException e) {
            if (e.retryable()) {
                throw e;
            }
            // A later read of the object reports the refusal.
            return Optional.empty();
        }
    }
}
