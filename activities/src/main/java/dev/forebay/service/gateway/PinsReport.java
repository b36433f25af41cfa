package dev.forebay.service.gateway;

import dev.forebay.model.DatasetVersion;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The pins that a region's etcd holds. */
public record PinsReport(List<Held> pins) {

    /**
     * A pin that is alive.
     *
     * @param leaseSeconds how long it lives without renewal
     * @param remainingSeconds how long it lives from now on, if it is not renewed
     * @param job the uid of the Kubernetes Job that holds it, if one does
     * @param renewed whether its holder has renewed it since it was taken
     */
    public record Held(
            DatasetVersion version,
            String id,
            String holder,
            String reason,
            long leaseSeconds,
            long remainingSeconds,
            @Nullable String job,
            boolean renewed) {}
}
