package dev.forebay.control.figures;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toMap;

import dev.forebay.control.catalogue.FigureCatalogue;
import dev.forebay.control.catalogue.FigureCatalogue.InState;
import dev.forebay.control.catalogue.LedgerCatalogue.By;
import dev.forebay.control.catalogue.LedgerCatalogue.Choice;
import dev.forebay.control.engine.PinAudit;
import dev.forebay.control.engine.PinAudit.Leak;
import dev.forebay.control.engine.PinAudit.Leaked;
import dev.forebay.control.ledger.CostLine;
import dev.forebay.control.ledger.Costs;
import dev.forebay.control.regions.Regions;
import dev.forebay.model.ForebayException;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.message.Residency.State;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tags;
import jakarta.inject.Singleton;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jboss.logging.Logger;

/**
 * Looks in regular intervals at what the catalogue, the ledger and the regions' pins say, and shows
 * it as metrics. Every control plane shows the same. What cannot be asked for is not shown, rather
 * than as it was before.
 */
@Singleton
public class RegionFigures {

    private static final Logger LOG = Logger.getLogger(RegionFigures.class);

    /** More than an installation has: a bound of what is shown. */
    private static final int MOST_REGIONS = 1_000;

    private final Regions regions;
    private final FigureCatalogue catalogue;
    private final PinAudit audit;
    private final Costs costs;
    private final Duration interval;
    private final Family versions;
    private final Family bytes;
    private final Family pins;
    private final Family unchanged;
    private final Family leaked;
    private final Family ledgerBytes;
    private final Family ledgerRequests;
    private final Family ledgerNvme;
    private final Family ledgerCost;
    private final ScheduledExecutorService clock =
            Executors.newSingleThreadScheduledExecutor(
                    Thread.ofPlatform().daemon().name("region-figures").factory());

    RegionFigures(
            Regions regions,
            FigureCatalogue catalogue,
            PinAudit audit,
            Costs costs,
            FiguresConfig config,
            MeterRegistry registry) {
        this.regions = regions;
        this.catalogue = catalogue;
        this.audit = audit;
        this.costs = costs;
        this.interval = config.interval();
        this.versions = new Family(registry, "versions", "Versions by their state in a region");
        this.bytes = new Family(registry, "version.bytes", "What is there of them");
        this.pins = new Family(registry, "pins", "Pins that the catalogue knows");
        this.unchanged =
                new Family(
                        registry,
                        "filling.unchanged.seconds",
                        "For how long the filling of which least is heard has not got on");
        this.leaked =
                new Family(
                        registry, "leaked.pins", "Pins behind which nobody seems to stand, by why");
        this.ledgerBytes = new Family(registry, "ledger.bytes", "Noted this month, by source");
        this.ledgerRequests =
                new Family(registry, "ledger.lake.requests", "Noted this month, of the lake");
        this.ledgerNvme =
                new Family(registry, "ledger.nvme.gb.hours", "Noted this month, on workers' disks");
        this.ledgerCost =
                new Family(registry, "ledger.cost", "Of this month, at the prices of today");
    }

    /** Looks whenever the interval has passed, until stopped. */
    public void start() {
        long millis = interval.toMillis();
        var _ = clock.scheduleWithFixedDelay(this::look, 0, millis, TimeUnit.MILLISECONDS);
    }

    public void stop() {
        clock.shutdownNow();
    }

    private void look() {
        show(this::countVersions, versions, bytes);
        show(() -> List.of(countPins()), pins);
        show(() -> List.of(ages()), unchanged);
        show(() -> List.of(countLeaked()), leaked);
        show(this::sumLedger, ledgerBytes, ledgerRequests, ledgerNvme, ledgerCost);
    }

    /** Shows what is found in these, or nothing if it cannot be found. */
    private static void show(Supplier<List<List<Row<?>>>> found, Family... families) {
        List<List<Row<?>>> rows;
        try {
            rows = found.get();
        } catch (RuntimeException e) {
            LOG.debugf(e, "Figures are not known at the moment");
            rows = Arrays.stream(families).map(_ -> List.<Row<?>>of()).toList();
        }
        for (int i = 0; i < families.length; i++) {
            families[i].show(rows.get(i));
        }
    }

    private List<List<Row<?>>> countVersions() {
        Map<String, InState> found =
                catalogue.residencies().stream()
                        .collect(toMap(it -> it.region() + "/" + it.state(), Function.identity()));
        List<Row<?>> counts = new ArrayList<>();
        List<Row<?>> sums = new ArrayList<>();
        for (String region : regions.names()) {
            for (State state : State.values()) {
                if (state == State.ABSENT) {
                    continue;
                }
                InState here = found.get(region + "/" + state);
                Tags tags = of(region).and("state", lower(state));
                counts.add(Family.row(tags, here == null ? 0 : here.versions()));
                sums.add(Family.row(tags, here == null ? 0 : here.bytes()));
            }
        }
        return List.of(counts, sums);
    }

    private List<Row<?>> countPins() {
        Map<RegionName, Long> found = catalogue.pins();
        return everywhere(region -> found.getOrDefault(new RegionName(region), 0L));
    }

    private List<Row<?>> ages() {
        Map<RegionName, Duration> found = catalogue.unchanged();
        return everywhere(
                region ->
                        found.getOrDefault(new RegionName(region), Duration.ZERO).toSeconds());
    }

    private List<Row<?>> everywhere(Function<String, Number> value) {
        List<Row<?>> rows = new ArrayList<>();
        for (String region : regions.names()) {
            rows.add(Family.row(of(region), value.apply(region)));
        }
        return rows;
    }

    /** Of regions that do not answer nothing is known. */
    private List<Row<?>> countLeaked() {
        List<Row<?>> rows = new ArrayList<>();
        for (String region : regions.names()) {
            try {
                Map<Leak, List<Leaked>> found =
                        audit.leaked(new RegionName(region)).stream()
                                .collect(groupingBy(Leaked::leak));
                for (Leak leak : Leak.values()) {
                    rows.add(
                            Family.row(
                                    of(region).and("leak", lower(leak)),
                                    found.getOrDefault(leak, List.of()).size()));
                }
            } catch (ForebayException unanswered) {
                LOG.debugf(unanswered, "Pins of %s are not known at the moment", region);
            }
        }
        return rows;
    }

    private List<List<Row<?>>> sumLedger() {
        LocalDate month = LocalDate.ofInstant(Instant.now(), ZoneOffset.UTC).withDayOfMonth(1);
        Choice choice = new Choice(month, month.plusMonths(1), null, null, null, null, null);
        Map<String, CostLine> found =
                costs.lines(choice, By.REGION, null, MOST_REGIONS).stream()
                        .collect(toMap(CostLine::key, Function.identity()));
        List<Row<?>> moved = new ArrayList<>();
        List<Row<?>> requests = new ArrayList<>();
        List<Row<?>> nvme = new ArrayList<>();
        List<Row<?>> cost = new ArrayList<>();
        for (String region : regions.names()) {
            CostLine line = found.getOrDefault(region, CostLine.nothing(region));
            moved.add(source(region, "lake", line.lakeBytes()));
            moved.add(source(region, "peer", line.peerBytes()));
            moved.add(source(region, "sibling", line.siblingBytes()));
            moved.add(source(region, "on_premises", line.onPremisesBytes()));
            moved.add(source(region, "readers", line.readerBytes()));
            requests.add(Family.row(of(region), line.lakeRequests()));
            nvme.add(Family.row(of(region), line.nvmeGbHours()));
            if (costs.prices().isStated()) {
                cost.add(kind(region, "lake", line.lake()));
                cost.add(kind(region, "siblings", line.siblings()));
                cost.add(kind(region, "requests", line.requests()));
                cost.add(kind(region, "nvme", line.nvme()));
                cost.add(kind(region, "without_cache", line.withoutCache()));
            }
        }
        return List.of(moved, requests, nvme, cost);
    }

    private static Row<?> source(String region, String source, long bytes) {
        return Family.row(of(region).and("source", source), bytes);
    }

    private static Row<?> kind(String region, String kind, BigDecimal cost) {
        return Family.row(of(region).and("kind", kind), cost);
    }

    private static Tags of(String region) {
        return Tags.of("region", region);
    }

    private static String lower(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
