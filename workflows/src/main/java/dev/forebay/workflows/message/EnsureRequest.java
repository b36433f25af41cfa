package dev.forebay.workflows.message;

import dev.forebay.model.RegionName;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Have a version in regions, and hold a pin in each of them if one is given.
 *
 * @param region the first region
 * @param pin what to hold, in {@code region}; in the others it is held under the same id
 * @param terms {@link Terms#USUAL} in requests of callers that knew of none
 * @param others the other regions, each once
 */
public record EnsureRequest(
        RegionName region, @Nullable PinRequest pin, Terms terms, List<RegionName> others) {

    public EnsureRequest {
        terms = terms == null ? Terms.USUAL : terms;
        others = others == null ? List.of() : others;
    }

    /** One region, on the usual terms. */
    public static EnsureRequest of(RegionName region, @Nullable PinRequest pin) {
        return new EnsureRequest(region, pin, Terms.USUAL, List.of());
    }

    /** The same for each of the regions by itself, in the order in which they are named. */
    public Stream<EnsureRequest> each() {
        return Stream.concat(Stream.of(region), others.stream())
                .map(
                        one ->
                                new EnsureRequest(
                                        one, pin == null ? null : pin.in(one), terms, List.of()));
    }
}
