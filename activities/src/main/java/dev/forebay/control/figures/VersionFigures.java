package dev.forebay.control.figures;

import dev.forebay.control.catalogue.reports.FigureCatalogue;
import dev.forebay.control.catalogue.reports.FigureCatalogue.InState;
import dev.forebay.control.regions.Regions;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.message.Residency.State;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Metrics of versions by state and region, and of fills that make no progress. */
@Singleton
class VersionFigures implements MetricsPublisher.Part {

    private final Regions regions;
    private final FigureCatalogue catalogue;
    private final GaugeFamily versions;
    private final GaugeFamily bytes;
    private final GaugeFamily unchanged;

    VersionFigures(Regions regions, FigureCatalogue catalogue, MeterRegistry registry) {
        this.regions = regions;
        this.catalogue = catalogue;
        this.versions =
                new GaugeFamily(registry, "versions", "Versions by their state in a region");
        this.bytes =
                new GaugeFamily(
                        registry,
                        "version.bytes",
                        "Bytes of versions that are present " + "in a region");
        this.unchanged =
                new GaugeFamily(
                        registry,
                        "fill.unchanged.seconds",
                        "Longest time since a running fill made progress");
    }

    private record Place(RegionName region, State state) {}

    @Override
    public void read() {
        Map<Place, InState> found =
                catalogue.residencies().stream()
                        .collect(
                                Collectors.toMap(
                                        it -> new Place(it.region(), it.state()),
                                        Function.identity()));
        Map<RegionName, Duration> ages = catalogue.unchanged();
        for (String name : regions.names()) {
            RegionName region = new RegionName(name);
            for (State state : State.values()) {
                if (state != State.ABSENT) {
                    InState here = found.get(new Place(region, state));
                    String tag = state.name().toLowerCase(Locale.ROOT);
                    versions.put(name, "state", tag, here == null ? 0 : here.versions());
                    bytes.put(name, "state", tag, here == null ? 0 : here.bytes());
                }
            }
            unchanged.put(name, ages.getOrDefault(region, Duration.ZERO).toSeconds());
        }
        versions.show();
        bytes.show();
        unchanged.show();
    }

    @Override
    public void forget() {
        versions.forget();
        bytes.forget();
        unchanged.forget();
    }
}
