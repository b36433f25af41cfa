package dev.forebay.control.api.datasets;

import dev.forebay.control.catalogue.Dataset;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** A registered dataset. */
@Schema(name = "Dataset")
record DatasetView(
        String namespace,
        String name,
        String source,
        @Schema(description = "Patterns for the keys that belong to the dataset. Empty: all")
                List<String> include,
        @Schema(description = "Patterns for the keys that do not belong to the dataset")
                List<String> exclude,
        @Schema(
                        description =
                                "The object that lists its keys, or null for all keys below the "
                                        + "source")
                @Nullable String keys,
        long ttlSeconds,
        @Schema(enumeration = {"pin", "read"}) String ttlAfter,
        Instant createdAt,
        @Schema(description = "When the dataset was deleted, or null") @Nullable Instant deletedAt,
        @Schema(
                        description =
                                "A possible mistake in an accepted registration, such as a "
                                        + "source without objects, or a source that the lake did "
                                        + "not answer for. Otherwise null")
                @Nullable String note) {

    static DatasetView of(Dataset dataset) {
        return of(dataset, null);
    }

    static DatasetView of(Dataset dataset, @Nullable String note) {
        return new DatasetView(
                dataset.name().namespace(),
                dataset.name().name(),
                dataset.source().toString(),
                dataset.source().include(),
                dataset.source().exclude(),
                dataset.source().keys(),
                dataset.ttl().toSeconds(),
                dataset.ttlAfter().name().toLowerCase(Locale.ROOT),
                dataset.createdAt(),
                dataset.deletedAt(),
                note);
    }
}
