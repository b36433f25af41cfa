package dev.forebay.control.figures;

import dev.forebay.control.catalogue.reports.FigureCatalogue;
import dev.forebay.control.pins.PinAudit;
import dev.forebay.control.pins.PinAudit.Leak;
import dev.forebay.control.pins.PinAudit.Leaked;
import dev.forebay.control.regions.Regions;
import dev.forebay.model.ForebayException;
import dev.forebay.model.RegionName;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jboss.logging.Logger;

/** Metrics of pins, and of pins that seem to be leaked. */
@Singleton
class PinFigures implements MetricsPublisher.Part {

    private static final Logger LOG = Logger.getLogger(PinFigures.class);

    private final Regions regions;
    private final FigureCatalogue catalogue;
    private final PinAudit audit;
    private final GaugeFamily pins;
    private final GaugeFamily leaked;

    PinFigures(Regions regions, FigureCatalogue catalogue, PinAudit audit, MeterRegistry registry) {
        this.regions = regions;
        this.catalogue = catalogue;
        this.audit = audit;
        this.pins = new GaugeFamily(registry, "pins", "Pins in the catalogue");
        this.leaked =
                new GaugeFamily(
                        registry, "leaked.pins", "Pins whose owners seem to be gone, by reason");
    }

    @Override
    public void read() {
        Map<RegionName, Long> known = catalogue.pins();
        for (String name : regions.names()) {
            RegionName region = new RegionName(name);
            pins.put(name, known.getOrDefault(region, 0L));
            try {
                count(name, audit.leaked(region));
            } catch (ForebayException unanswered) {
                LOG.debugf(unanswered, "Cannot read the pins of %s at the moment", region);
            }
        }
        pins.show();
        leaked.show();
    }

    private void count(String region, List<Leaked> found) {
        for (Leak leak : Leak.values()) {
            leaked.put(
                    region,
                    "leak",
                    leak.name().toLowerCase(Locale.ROOT),
                    found.stream().filter(pin -> pin.leak() == leak).count());
        }
    }

    @Override
    public void forget() {
        pins.forget();
        leaked.forget();
    }
}
