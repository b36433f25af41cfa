package dev.forebay.control.api.regions;

import java.time.Instant;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The response bodies about queued versions. */
final class QueueViews {

    private QueueViews() {}

    @Schema(name = "Queued", description = "A version that waits for room")
    record QueuedView(
            @Schema(
                            description =
                                    "From 1; null if a quota, or a worker that is away, keeps it out, whoever else waits")
                    @Nullable Integer position,
            String dataset,
            String version,
            @Schema(description = "How much more room it needs") long bytes,
            @Schema(enumeration = {"interactive", "speculative"}) String priority,
            Instant since,
            String reason,
            @Schema(
                            description =
                                    "When pins end that hold what would have to go, if nobody renews them; null if that is not what it waits for, or is not known")
                    @Nullable Instant notBefore) {}

    @Schema(name = "QueuePage")
    record QueuePage(List<QueuedView> items, @Nullable String next) {}
}
