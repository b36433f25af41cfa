package dev.forebay.control.planning;

import dev.forebay.control.eviction.EvictionCandidate;
import dev.forebay.control.eviction.EvictionCandidates;
import dev.forebay.control.regions.Regions;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ForebayException;
import dev.forebay.model.RegionName;
import dev.forebay.service.gateway.RegionSurvey;
import dev.forebay.service.gateway.RegionSurvey.Queued;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Lists the versions that wait for capacity in a region, and forecasts when they get it.
 * Thread-safe.
 */
@Singleton
public class AdmissionQueue {

    private final Regions regions;
    private final EvictionCandidates occupants;

    AdmissionQueue(Regions regions, EvictionCandidates occupants) {
        this.regions = regions;
        this.occupants = occupants;
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
        List<EvictionCandidate> others = occupants.of(region, survey.residents());
        Instant now = Instant.now();
        List<Waiting> waiting = new ArrayList<>();
        long wanted = 0;
        for (Queued each : survey.queue()) {
            wanted += each.steppedAside() ? 0 : each.bytes();
            waiting.add(
                    waiting(
                            each,
                            each.steppedAside() ? null : notBefore(wanted, survey, others, now)));
        }
        return waiting;
    }

    /** Returns when there is enough capacity, if no other version comes and no pin is renewed. */
    private static @Nullable Instant notBefore(
            long wanted, RegionSurvey survey, List<EvictionCandidate> others, Instant now) {
        long lack = survey.takenBytes() + wanted - survey.capacityBytes();
        return AdmissionRules.pinsEnd(lack, others, SurveyShares.of(survey), now);
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
