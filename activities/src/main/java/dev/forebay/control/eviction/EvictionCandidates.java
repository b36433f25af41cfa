package dev.forebay.control.eviction;

import dev.forebay.control.catalogue.VersionCatalogue;
import dev.forebay.control.catalogue.reports.UseCatalogue;
import dev.forebay.control.eviction.EvictionCandidate.Kind;
import dev.forebay.control.prices.PriceTable;
import dev.forebay.control.prices.Prices;
import dev.forebay.lifecycle.Lifecycle;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.RegionName;
import dev.forebay.service.gateway.RegionSurvey.Resident;
import dev.forebay.workflows.message.PinGrant;
import dev.forebay.workflows.message.Residency;
import dev.forebay.workflows.message.VersionStatus;
import jakarta.inject.Singleton;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Collects what the region and the catalogue know of the versions in a region. Thread-safe. */
@Singleton
public class EvictionCandidates {

    /** The age at which a request has half its weight in the expected number of uses. */
    private static final Duration HALF_LIFE = Duration.ofDays(7);

    private final VersionCatalogue versions;
    private final UseCatalogue uses;
    private final PriceTable prices;

    EvictionCandidates(VersionCatalogue versions, UseCatalogue uses, PriceTable prices) {
        this.versions = versions;
        this.uses = uses;
        this.prices = prices;
    }

    /**
     * Returns the expected number of further requests for a version. Increases with each request.
     */
    public double uses(RegionName region, DatasetVersion version) {
        return uses.recent(region, List.of(version), HALF_LIFE).getOrDefault(version, 0.0);
    }

    /** Returns whether a client requested the version within the last {@code ago}. */
    public boolean wasAskedFor(RegionName region, DatasetVersion version, Duration ago) {
        return uses.wasAskedFor(region, version, ago);
    }

    /** Combines the region's residents with the catalogue. */
    public List<EvictionCandidate> of(RegionName region, List<Resident> residents) {
        List<DatasetVersion> names =
                residents.stream().map(each -> DatasetVersion.parse(each.version())).toList();
        Map<DatasetVersion, VersionStatus> known =
                versions.find(names).stream()
                        .collect(Collectors.toMap(VersionStatus::version, Function.identity()));
        Map<DatasetVersion, Double> wanted = uses.recent(region, names, HALF_LIFE);
        return residents.stream()
                .map(
                        each -> {
                            DatasetVersion version = DatasetVersion.parse(each.version());
                            return occupant(
                                    region,
                                    version,
                                    each,
                                    known.get(version),
                                    wanted.getOrDefault(version, 0.0));
                        })
                .toList();
    }

    private EvictionCandidate occupant(
            RegionName region,
            DatasetVersion version,
            Resident resident,
            @Nullable VersionStatus known,
            double wanted) {
        Residency residency = known == null ? null : Lifecycle.residency(known, region);
        Prices here = prices.of(region);
        BigDecimal cost =
                here.lakeBytes(resident.bytes()).add(here.lakeRequests(resident.objects()));
        double effort = prices.isStated() ? cost.doubleValue() : resident.bytes();
        return new EvictionCandidate(
                version,
                resident.roomBytes(),
                kind(resident, residency),
                wanted,
                prices.isStated() ? cost : null,
                wanted * effort / Math.max(1, resident.roomBytes()),
                residency == null ? null : residency.evictableAt(),
                known == null
                        ? null
                        : Lifecycle.pins(known, region).stream()
                                .map(PinGrant::expiresAt)
                                .max(Comparator.naturalOrder())
                                .orElse(null));
    }

    private static Kind kind(Resident resident, @Nullable Residency residency) {
        if (resident.state().equals("EVICTING")) {
            return Kind.LEAVING;
        }
        if (resident.pins() > 0) {
            return Kind.HELD;
        }
        boolean parked = residency != null && residency.state() == Residency.State.BLOCKED;
        return switch (resident.state()) {
            case "CACHED" -> Kind.FREE;
            case "WARMING" -> parked ? Kind.FREE : Kind.BUSY;
            // Only the later release that wrote the state knows whether the version may be evicted.
            default -> Kind.BUSY;
        };
    }
}
