package dev.forebay.service.gateway;

import dev.forebay.model.DatasetVersion;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The pins in a region's etcd. */
public record PinsReport(List<Held> pins) {

    /**
     * A pin that is alive.
     *
     * @param leaseSeconds its lifetime without renewal
     * @param remainingSeconds its lifetime from now on, unless it is renewed
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
