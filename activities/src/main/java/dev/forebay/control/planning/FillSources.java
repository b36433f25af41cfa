package dev.forebay.control.planning;

import dev.forebay.control.planning.FillPlan.Source;
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
 * Ranks the sources from which a region fills a version. Plans and fills use the same rule. The
 * cheapest source is used, and the lake wins ties, so without prices the lake is used. Thread-safe.
 */
@Singleton
class FillSources {

    private final Regions regions;
    private final PriceTable prices;

    FillSources(Regions regions, PriceTable prices) {
        this.regions = regions;
        this.prices = prices;
    }

    /** A source with its cost. */
    private record Offer(Source.Kind kind, @Nullable RegionName region, BigDecimal cost) {}

    /**
     * Returns the lake and the sibling regions that have all of the version, the cheapest first. A
     * fill uses the first source. If it cannot provide a chunk, the fill tries the following ones,
     * up to the lake.
     *
     * @param bytes the missing bytes; there are no sources if it is 0
     * @param lakeRequests the number of requests that read them from the lake
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
     * Returns the sibling regions to ask before the lake, in order.
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
