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
        @Schema(description = "Patterns of the keys that belong to it; all if there is none")
                List<String> include,
        @Schema(description = "Patterns of the keys that do not") List<String> exclude,
        @Schema(description = "The object that lists its keys; null if all below the source are")
                @Nullable String keys,
        long ttlSeconds,
        @Schema(enumeration = {"pin", "read"}) String ttlAfter,
        Instant createdAt,
        @Schema(description = "Null unless it was deleted") @Nullable Instant deletedAt,
        @Schema(
                        description =
                                "What may be a mistake in a registration that was accepted, as a source without objects, or one that the lake did not answer for; else null")
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
