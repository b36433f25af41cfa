package dev.forebay.control.planning;

import dev.forebay.control.catalogue.QuotaCatalogue;
import dev.forebay.control.eviction.EvictionCandidate;
import dev.forebay.control.eviction.EvictionCandidate.Kind;
import dev.forebay.control.eviction.EvictionCandidates;
import dev.forebay.control.eviction.SharedBytes;
import dev.forebay.control.planning.FillPlan.Admission;
import dev.forebay.control.planning.FillPlan.Room;
import dev.forebay.control.planning.FillPlan.Victim;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.RegionName;
import dev.forebay.service.gateway.RegionSurvey;
import dev.forebay.service.gateway.RegionSurvey.Queued;
import dev.forebay.workflows.message.Problem;
import dev.forebay.workflows.message.Urgency;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Forecasts whether a region would admit a version now: by the quota of its namespace, the
 * capacity, and the queue. The region decides. Thread-safe.
 */
@Singleton
class AdmissionForecast {

    private final EvictionCandidates occupants;
    private final QuotaCatalogue quotas;

    AdmissionForecast(EvictionCandidates occupants, QuotaCatalogue quotas) {
        this.occupants = occupants;
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
    Room of(
            DatasetVersion version,
            RegionName region,
            long ownBytes,
            long neededBytes,
            RegionSurvey survey,
            Urgency urgency) {
        if (neededBytes > 0 && survey.capacityBytes() == 0) {
            return new Room(
                    Admission.WAITS,
                    neededBytes,
                    survey.takenBytes(),
                    0,
                    List.of(),
                    new Problem(
                            ErrorCode.UNAVAILABLE,
                            "no worker is registered in %s: 'forebay regions' shows them when they have started"
                                    .formatted(region)),
                    null);
        }
        Instant now = Instant.now();
        List<EvictionCandidate> others =
                occupants.of(region, survey.residents()).stream()
                        .map(
                                each ->
                                        urgency == Urgency.SPECULATIVE
                                                ? each.sparedUntilExpired(now)
                                                : each)
                        .toList();
        List<SharedBytes.Share> shares = SurveyShares.of(survey);
        Room ofQuota = ofQuota(version, region, ownBytes, neededBytes, survey, others, now);
        if (ofQuota != null && isFinal(ofQuota)) {
            return in(
                    survey,
                    neededBytes,
                    ofQuota,
                    ofQuota.admission(),
                    ofQuota.victims(),
                    ofQuota.problem());
        }
        List<Victim> going = ofQuota == null ? List.of() : ofQuota.victims();
        Problem quotaProblem = ofQuota == null ? null : ofQuota.problem();
        Room room =
                advised(
                        new AdmissionRules(
                                        version,
                                        "the chunk stores of " + region,
                                        ownBytes,
                                        neededBytes,
                                        survey.takenBytes(),
                                        survey.capacityBytes(),
                                        survey.knownBytes())
                                .decide(without(others, going), shares, now),
                        "'forebay pins --region %s' lists what may not go, 'forebay regions' what room there is"
                                .formatted(region));
        int before = before(survey.queue(), version, urgency);
        if (before > 0 && neededBytes > 0 && room.admission() != Admission.REFUSED) {
            return in(
                    survey,
                    neededBytes,
                    room,
                    Admission.WAITS,
                    List.of(),
                    new Problem(
                            ErrorCode.CAPACITY_EXCEEDED,
                            "%d others wait for room in %s before %s: 'forebay queue --region %s' lists them"
                                    .formatted(before, region, version, region)));
        }
        if (going.isEmpty() || isFinal(room)) {
            return room;
        }
        return in(
                survey,
                neededBytes,
                room,
                Admission.AFTER_EVICTION,
                Stream.concat(going.stream(), room.victims().stream()).toList(),
                room.problem() == null ? quotaProblem : room.problem());
    }

    private @Nullable Room ofQuota(
            DatasetVersion version,
            RegionName region,
            long ownBytes,
            long neededBytes,
            RegionSurvey survey,
            List<EvictionCandidate> others,
            Instant now) {
        Long quota = quota(version, region);
        if (quota == null) {
            return null;
        }
        String namespace = version.dataset().namespace();
        List<EvictionCandidate> own =
                others.stream()
                        .filter(each -> each.version().dataset().namespace().equals(namespace))
                        .toList();
        long taken = Objects.requireNonNull(survey.namespaceBytes(), "the version was named");
        Long counted = survey.countedBytes();
        return advised(
                new AdmissionRules(
                                version,
                                "the quota of namespace %s in %s".formatted(namespace, region),
                                ownBytes,
                                counted == null ? neededBytes : counted,
                                taken,
                                quota,
                                quota)
                        .decide(own, SurveyShares.of(survey, namespace), now),
                "'forebay quota %s BYTES --region %s' gives it more".formatted(namespace, region));
    }

    /** Adds what helps if evictions do not. */
    private static Room advised(Room room, String remedy) {
        Problem problem = room.problem();
        if (problem == null || room.admission() == Admission.AFTER_EVICTION) {
            return room;
        }
        return new Room(
                room.admission(),
                room.neededBytes(),
                room.takenBytes(),
                room.capacityBytes(),
                room.victims(),
                new Problem(problem.code(), problem.message() + "; " + remedy),
                room.notBefore());
    }

    /** Victims that are chosen for the quota free capacity of the region, too. */
    private static List<EvictionCandidate> without(
            List<EvictionCandidate> others, List<Victim> going) {
        Set<DatasetVersion> names =
                going.stream().map(Victim::version).collect(Collectors.toUnmodifiableSet());
        return others.stream()
                .map(each -> names.contains(each.version()) ? each.as(Kind.LEAVING) : each)
                .toList();
    }

    private static boolean isFinal(Room room) {
        return room.admission() == Admission.WAITS || room.admission() == Admission.REFUSED;
    }

    private static int before(List<Queued> queue, DatasetVersion version, Urgency urgency) {
        List<Queued> inTurn = queue.stream().filter(each -> !each.steppedAside()).toList();
        for (int i = 0; i < inTurn.size(); i++) {
            if (inTurn.get(i).version().equals(version.toString())) {
                return i;
            }
        }
        return (int)
                inTurn.stream()
                        .filter(each -> each.interactive() || urgency == Urgency.SPECULATIVE)
                        .count();
    }

    /** Returns the decision with the figures of the region. */
    private static Room in(
            RegionSurvey survey,
            long neededBytes,
            Room decided,
            Admission admission,
            List<Victim> victims,
            @Nullable Problem problem) {
        return new Room(
                admission,
                neededBytes,
                survey.takenBytes(),
                survey.capacityBytes(),
                victims,
                problem,
                decided.notBefore());
    }
}
