package dev.forebay.control.planning;

import dev.forebay.control.catalogue.QuotaCatalogue;
import dev.forebay.control.eviction.EvictionCandidates;
import dev.forebay.control.planning.FillPlan.SpaceForecast;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.RegionName;
import dev.forebay.service.gateway.RegionSurvey;
import dev.forebay.service.gateway.RegionSurvey.Queued;
import dev.forebay.service.space.SpaceReservation;
import dev.forebay.service.space.SpaceReservation.Limit;
import dev.forebay.workflows.message.Urgency;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Forecasts whether a region would admit a version now: a {@link SpaceReservation} on the region's
 * survey, with what the catalogue knows of the other versions. The region decides. Thread-safe.
 */
@Singleton
class AdmissionForecast {

    private final EvictionCandidates candidates;
    private final QuotaCatalogue quotas;

    AdmissionForecast(EvictionCandidates candidates, QuotaCatalogue quotas) {
        this.candidates = candidates;
        this.quotas = quotas;
    }

    /**
     * Returns the quota of the version's namespace in a region, in bytes; null if it has no limit.
     */
    @Nullable Long quota(DatasetVersion version, RegionName region) {
        return quotas.of(version.dataset().namespace(), region);
    }

    /**
     * Forecasts the admission.
     *
     * @param ownBytes the capacity that the chunks of the version take
     * @param neededBytes the part of it that is not taken yet
     */
    SpaceForecast of(
            DatasetVersion version,
            RegionName region,
            long ownBytes,
            long neededBytes,
            RegionSurvey survey,
            Urgency urgency) {
        SpaceReservation reservation =
                new SpaceReservation(
                        version,
                        region,
                        urgency,
                        ownBytes,
                        new Limit(
                                survey.capacityBytes(),
                                survey.knownBytes(),
                                survey.takenBytes(),
                                neededBytes),
                        ofQuota(quota(version, region), neededBytes, survey),
                        queue(survey.queue(), version, urgency));
        return new SpaceForecast(
                reservation.decide(
                        () -> candidates.taken(region, survey, candidates.readAgo(region))),
                neededBytes,
                survey.takenBytes(),
                survey.capacityBytes());
    }

    /** An agent that does not report the bytes of the namespace decides alone. */
    private static @Nullable Limit ofQuota(
            @Nullable Long quota, long neededBytes, RegionSurvey survey) {
        Long taken = survey.namespaceBytes();
        Long counted = survey.countedBytes();
        return quota == null
                ? null
                : new Limit(
                        quota,
                        quota,
                        taken == null ? 0 : taken,
                        counted == null ? neededBytes : counted);
    }

    /** Returns the versions in turn, with this one where it is, or would be. */
    private static List<DatasetVersion> queue(
            List<Queued> queue, DatasetVersion version, Urgency urgency) {
        List<Queued> inTurn =
                queue.stream()
                        .filter(
                                each ->
                                        !each.steppedAside()
                                                || each.version().equals(version.toString()))
                        .toList();
        List<DatasetVersion> versions =
                inTurn.stream()
                        .map(each -> DatasetVersion.parse(each.version()))
                        .collect(Collectors.toCollection(ArrayList::new));
        if (!versions.contains(version)) {
            long before =
                    inTurn.stream()
                            .filter(each -> each.interactive() || urgency == Urgency.SPECULATIVE)
                            .count();
            versions.add((int) before, version);
        }
        return versions;
    }
}
