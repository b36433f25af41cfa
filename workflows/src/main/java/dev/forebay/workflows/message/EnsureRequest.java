package dev.forebay.workflows.message;

import dev.forebay.model.RegionName;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Request to bring a version into regions and, if {@code pin} is present, to pin it in each of
 * them.
 *
 * @param region the first region
 * @param pin the pin to take in {@code region}; other regions get a pin with the same id
 * @param terms how much coverage it needs, by when, and how urgently
 * @param others the other regions, each once
 */
public record EnsureRequest(
        RegionName region, @Nullable PinRequest pin, RequestTerms terms, List<RegionName> others) {

    /** Returns a request for one region, with the usual terms. */
    public static EnsureRequest of(RegionName region, @Nullable PinRequest pin) {
        return new EnsureRequest(region, pin, RequestTerms.USUAL, List.of());
    }

    /** Returns one request for each region, in the order in which the regions are named. */
    public Stream<EnsureRequest> each() {
        return Stream.concat(Stream.of(region), others.stream())
                .map(
                        one ->
                                new EnsureRequest(
                                        one, pin == null ? null : pin.in(one), terms, List.of()));
    }
}
