package dev.forebay.agent.pins;

import dev.forebay.membership.Pin;
import dev.forebay.membership.RegionState;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ForebayException;
import dev.forebay.service.gateway.PinsReport;
import dev.forebay.service.gateway.PinsReport.Held;
import dev.forebay.thread.ParallelCalls;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Asks the region's etcd for the remaining lifetime of each pin. Safe for use by many threads. */
@Singleton
public class RegionPins {

    /** Each question costs etcd two small requests. */
    static final int AT_ONCE = 16;

    private final RegionState region;

    RegionPins(RegionState region) {
        this.region = region;
    }

    /**
     * Returns the pins that are alive.
     *
     * @throws ForebayException {@code UNAVAILABLE} if etcd does not answer
     */
    public PinsReport report() {
        return new PinsReport(found(region.view().pins(), this::held));
    }

    /**
     * Returns the remaining lifetimes, by id, of those of a version's pins that are alive.
     *
     * @throws ForebayException {@code UNAVAILABLE} if etcd does not answer
     */
    public Map<String, Duration> remaining(DatasetVersion version, List<String> pinIds) {
        return found(pinIds, id -> region.remaining(version, id).map(left -> Map.entry(id, left)))
                .stream()
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    /**
     * Asks a question for each element, a bounded number at once, and returns the answers that are
     * present. After the first failure, which may take as long as etcd's timeout, it asks no more.
     */
    static <T, R> List<R> found(Collection<T> each, Function<T, Optional<R>> question) {
        return ParallelCalls.map(each, AT_ONCE, question).stream()
                .flatMap(Optional::stream)
                .toList();
    }

    private Optional<Held> held(Pin pin) {
        return region.remaining(pin.version(), pin.id())
                .map(
                        left ->
                                new Held(
                                        pin.version(),
                                        pin.id(),
                                        pin.holder(),
                                        pin.reason(),
                                        pin.lease().toSeconds(),
                                        left.toSeconds(),
                                        pin.job(),
                                        pin.renewed()));
    }
}
