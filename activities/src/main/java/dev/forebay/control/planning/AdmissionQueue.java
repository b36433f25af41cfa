package dev.forebay.control.planning;

import dev.forebay.control.eviction.EvictionCandidates;
import dev.forebay.control.regions.Regions;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ForebayException;
import dev.forebay.model.RegionName;
import dev.forebay.service.gateway.RegionSurvey;
import dev.forebay.service.gateway.RegionSurvey.Queued;
import dev.forebay.service.space.VictimSelection;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Lists the versions that wait for capacity in a region, and forecasts when they get it.
 * Thread-safe.
 */
@Singleton
public class AdmissionQueue {

    private final Regions regions;
    private final EvictionCandidates candidates;

    AdmissionQueue(Regions regions, EvictionCandidates candidates) {
        this.regions = regions;
        this.candidates = candidates;
    }

    /**
     * A version that waits.
     *
     * @param inTurn whether it waits for those before it; false if a quota, or a worker that is
     *     down, keeps it out
     * @param notBefore when enough pins end without a renewal for it and those before it; null if
     *     it does not wait for pins, or that is not known
     */
    public record Waiting(
            DatasetVersion version,
            long bytes,
            boolean interactive,
            Instant since,
            boolean inTurn,
            String reason,
            @Nullable Instant notBefore) {}

    /**
     * Returns the queue of a region, in the order of admission.
     *
     * @throws ForebayException {@code UNAVAILABLE} if its agent does not answer
     */
    public List<Waiting> of(RegionName region) {
        RegionSurvey survey = regions.occupancy(region);
        VictimSelection selection =
                new VictimSelection(candidates.taken(region, survey, Map.of()), null);
        List<Waiting> waiting = new ArrayList<>();
        long wanted = 0;
        for (Queued each : survey.queue()) {
            wanted += each.steppedAside() ? 0 : each.bytes();
            // If no other version comes and no pin is renewed.
            long lack = survey.takenBytes() + wanted - survey.capacityBytes();
            waiting.add(waiting(each, each.steppedAside() ? null : selection.pinsEnd(lack)));
        }
        return waiting;
    }

    private static Waiting waiting(Queued queued, @Nullable Instant notBefore) {
        return new Waiting(
                DatasetVersion.parse(queued.version()),
                queued.bytes(),
                queued.interactive(),
                queued.since(),
                !queued.steppedAside(),
                queued.reason(),
                notBefore);
    }
}
