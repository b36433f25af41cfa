package dev.forebay.control.eviction;

import dev.forebay.control.catalogue.Resident;
import dev.forebay.control.catalogue.ResidentCatalogue;
import dev.forebay.control.catalogue.reports.UseCatalogue;
import dev.forebay.control.prices.PriceTable;
import dev.forebay.control.regions.Regions;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ForebayException;
import dev.forebay.model.RegionName;
import dev.forebay.service.gateway.RegionSurvey;
import dev.forebay.service.gateway.UsageReport.Mounted;
import dev.forebay.service.space.EvictionCandidate;
import dev.forebay.service.space.EvictionCandidate.Kind;
import dev.forebay.service.space.UsedSpace;
import dev.forebay.workflows.message.Residency.State;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Rates the versions in a region as candidates for eviction, from the region and the catalogue.
 * Thread-safe.
 */
@Singleton
public class EvictionCandidates {

    private static final Logger LOG = Logger.getLogger(EvictionCandidates.class);

    private final ResidentCatalogue residents;
    private final UseCatalogue uses;
    private final PriceTable prices;
    private final Regions regions;

    EvictionCandidates(
            ResidentCatalogue residents, UseCatalogue uses, PriceTable prices, Regions regions) {
        this.residents = residents;
        this.uses = uses;
        this.prices = prices;
        this.regions = regions;
    }

    /** Returns what these versions are worth in a region. */
    VersionWorth worth(RegionName region, Collection<DatasetVersion> versions) {
        return new VersionWorth(
                prices.isStated() ? prices.of(region) : null,
                uses.recent(region, versions, VersionWorth.HALF_LIFE));
    }

    /** Returns whether a client requested the version within the last {@code ago}. */
    public boolean wasRequested(RegionName region, DatasetVersion version, Duration ago) {
        return uses.wasAskedFor(region, version, ago);
    }

    /**
     * Returns how long ago a node last read each version from a worker, in whole seconds. In doubt
     * a version is absent. Otherwise a worker that does not answer would block all admissions.
     */
    public Map<DatasetVersion, Duration> readAgo(RegionName region) {
        Map<DatasetVersion, Duration> readAgo = new HashMap<>();
        try {
            for (Mounted mounted : regions.usage(region).versions()) {
                Long seconds = mounted.secondsSinceRead();
                if (seconds != null) {
                    readAgo.put(mounted.version(), Duration.ofSeconds(seconds));
                }
            }
        } catch (ForebayException unanswered) {
            LOG.debugf(unanswered, "Region %s does not report when its versions were read", region);
        }
        return readAgo;
    }

    /**
     * Returns what takes space in a region, from its survey and the catalogue.
     *
     * @param readAgo as {@link #readAgo} returns it; may be empty if the value does not matter
     */
    public UsedSpace taken(
            RegionName region, RegionSurvey survey, Map<DatasetVersion, Duration> readAgo) {
        Instant now = Instant.now();
        Map<DatasetVersion, Resident> known =
                residents.list(region, now).stream()
                        .collect(Collectors.toMap(Resident::version, Function.identity()));
        Map<DatasetVersion, RegionSurvey.Resident> there = new LinkedHashMap<>();
        survey.residents().forEach(each -> there.put(DatasetVersion.parse(each.version()), each));
        VersionWorth worth = worth(region, there.keySet());
        List<EvictionCandidate> candidates = new ArrayList<>();
        there.forEach(
                (version, resident) ->
                        candidates.add(
                                candidate(
                                        version,
                                        resident,
                                        known.get(version),
                                        readAgo.get(version),
                                        worth,
                                        now)));
        return new UsedSpace(candidates, SurveyShares.of(survey));
    }

    private static EvictionCandidate candidate(
            DatasetVersion version,
            RegionSurvey.Resident there,
            @Nullable Resident known,
            @Nullable Duration readAgo,
            VersionWorth worth,
            Instant now) {
        Instant usedAt = known == null ? null : known.usedAt(now, readAgo);
        return new EvictionCandidate(
                version,
                kind(there, known),
                there.spaceBytes(),
                worth.of(
                        version,
                        there.bytes(),
                        there.objects(),
                        usedAt == null ? readAgo : Duration.between(usedAt, now)),
                known != null && known.isExpired(now, readAgo),
                known == null ? null : known.residency().evictableAt(),
                known == null ? null : known.pinnedUntil());
    }

    private static Kind kind(RegionSurvey.Resident there, @Nullable Resident known) {
        Kind kind = Kind.of(there.state(), there.pins() > 0);
        boolean isParked =
                kind == Kind.BUSY
                        && there.state().equals("WARMING")
                        && known != null
                        && known.residency().state() == State.BLOCKED;
        return isParked ? Kind.FREE : kind;
    }
}
