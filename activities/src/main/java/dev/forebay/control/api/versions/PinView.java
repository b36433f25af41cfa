package dev.forebay.control.api.versions;

import dev.forebay.control.pins.PinAudit;
import dev.forebay.model.DatasetVersion;
import dev.forebay.workflows.message.PinGrant;
import java.time.Instant;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** A pin on a version in a region. */
@Schema(name = "Pin")
public record PinView(
        String id,
        String region,
        String dataset,
        String version,
        String holder,
        String reason,
        Instant expiresAt,
        @Schema(description = "The uid of the Kubernetes Job that owns the pin, or null")
                @Nullable String job,
        @Schema(
                        description =
                                "When the pin was last taken, or null if unknown. A release can "
                                        + "name it, so that it does not end a newer pin with the "
                                        + "same id")
                @Nullable Instant takenAt,
        @Schema(
                        description =
                                "The reason why the pin's owner seems to be gone. Only in the "
                                        + "list of leaked pins")
                @Nullable LeakView leak) {

    public static PinView of(DatasetVersion version, PinGrant pin) {
        return of(version, pin, null);
    }

    public static PinView of(PinAudit.Leaked leaked) {
        return of(leaked.version(), leaked.pin(), new LeakView(leaked.leak(), leaked.message()));
    }

    private static PinView of(DatasetVersion version, PinGrant pin, @Nullable LeakView leak) {
        return new PinView(
                pin.id(),
                pin.region().value(),
                version.dataset().toString(),
                version.version(),
                pin.holder(),
                pin.reason(),
                pin.expiresAt(),
                pin.job(),
                pin.takenAt(),
                leak);
    }

    @Schema(name = "Leak", description = "The reason why a pin's owner seems to be gone")
    record LeakView(PinAudit.Leak code, String message) {}
}
