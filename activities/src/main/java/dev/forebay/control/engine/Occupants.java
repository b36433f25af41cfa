package dev.forebay.control.engine;

import dev.forebay.control.catalogue.UseCatalogue;
import dev.forebay.control.catalogue.VersionCatalogue;
import dev.forebay.control.engine.Occupant.Kind;
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

/** What is known of the versions that are in a region. Safe for use by many threads. */
@Singleton
class Occupants {

    /** After so long a request says half as much of how often a version will be wanted. */
    private static final Duration HALF_LIFE = Duration.ofDays(7);

    private final VersionCatalogue versions;
    private final UseCatalogue uses;
    private final PriceTable prices;

    Occupants(VersionCatalogue versions, UseCatalogue uses, PriceTable prices) {
        this.versions = versions;
        this.uses = uses;
        this.prices = prices;
    }

    /** How often a version is expected to be asked for again; more as soon as somebody asks. */
    double uses(RegionName region, DatasetVersion version) {
        return uses.recent(region, List.of(version), HALF_LIFE).getOrDefault(version, 0.0);
    }

    /** Whether a version was asked for not longer ago than that. */
    boolean wasAskedFor(RegionName region, DatasetVersion version, Duration ago) {
        return uses.wasAskedFor(region, version, ago);
    }

    /** As the region and the catalogue say together. */
    List<Occupant> of(RegionName region, List<Resident> residents) {
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

    private Occupant occupant(
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
        return new Occupant(
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
            // A later release alone knows whether it may go.
            default -> Kind.BUSY;
        };
    }
}
