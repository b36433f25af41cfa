package dev.forebay.control.engine;

import dev.forebay.control.engine.Plan.Source;
import dev.forebay.control.prices.PriceTable;
import dev.forebay.control.prices.Prices;
import dev.forebay.control.regions.Regions;
import dev.forebay.model.RegionName;
import dev.forebay.model.Sibling;
import dev.forebay.workflows.message.Residency;
import dev.forebay.workflows.message.VersionStatus;
import jakarta.inject.Singleton;
import java.math.BigDecimal;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Where a region takes what it lacks of a version: the one rule of plans and of fillings. The
 * cheapest source is used, of those that cost the same the lake; without prices it is the lake.
 * Safe for use by many threads.
 */
@Singleton
class FillSources {

    private final Regions regions;
    private final PriceTable prices;

    FillSources(Regions regions, PriceTable prices) {
        this.regions = regions;
        this.prices = prices;
    }

    /** A source before it is known whether it is used. */
    private record Offer(Source.Kind kind, @Nullable RegionName region, BigDecimal cost) {}

    /**
     * The lake, and the other regions that have all of the version, the cheapest first. The first
     * is used; those behind it, as far as the lake, help out where it cannot give a chunk.
     *
     * @param bytes that are missing; with none there are no sources
     * @param lakeRequests that bring them from the lake
     */
    List<Source> of(RegionName to, VersionStatus status, long bytes, long lakeRequests) {
        if (bytes == 0) {
            return List.of();
        }
        Prices here = prices.of(to);
        Offer lake =
                new Offer(
                        Source.Kind.LAKE,
                        null,
                        here.lakeBytes(bytes).add(here.lakeRequests(lakeRequests)));
        Stream<Offer> siblings =
                status.regions().stream()
                        .filter(other -> other.state() == Residency.State.CACHED)
                        .map(Residency::region)
                        .filter(other -> !other.equals(to) && regions.sibling(other).isPresent())
                        .map(other -> offer(other, here, bytes));
        List<Offer> cheapestFirst =
                Stream.concat(Stream.of(lake), siblings)
                        .sorted(Comparator.comparing(Offer::cost))
                        .toList();
        return IntStream.range(0, cheapestFirst.size())
                .mapToObj(at -> source(cheapestFirst.get(at), at == 0))
                .toList();
    }

    /**
     * The other regions that are to be asked before the lake, in order.
     *
     * @param bytes as for {@link #of}
     */
    List<Sibling> siblings(RegionName to, VersionStatus status, long bytes, long lakeRequests) {
        return of(to, status, bytes, lakeRequests).stream()
                .takeWhile(source -> source.kind() != Source.Kind.LAKE)
                .map(source -> Optional.ofNullable(source.region()).flatMap(regions::sibling))
                .flatMap(Optional::stream)
                .limit(Sibling.MOST)
                .toList();
    }

    private Offer offer(RegionName other, Prices here, long bytes) {
        return regions.isOnPremises(other)
                ? new Offer(Source.Kind.ON_PREMISES, other, here.onPremisesBytes(bytes))
                : new Offer(Source.Kind.REGION, other, here.siblingBytes(bytes));
    }

    private Source source(Offer offer, boolean used) {
        return new Source(
                offer.kind(), offer.region(), prices.isStated() ? offer.cost() : null, used);
    }
}
