package dev.forebay.control.figures;

import dev.forebay.control.catalogue.reports.LedgerCatalogue.By;
import dev.forebay.control.catalogue.reports.LedgerCatalogue.Choice;
import dev.forebay.control.ledger.CostLine;
import dev.forebay.control.ledger.Costs;
import dev.forebay.control.regions.Regions;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Metrics of the ledger: the sums since the start of the month (UTC), and their cost. */
@Singleton
class LedgerFigures implements MetricsPublisher.Part {

    /** More than an installation has. */
    private static final int MOST_REGIONS = 1_000;

    private final Regions regions;
    private final Costs costs;
    private final GaugeFamily bytes;
    private final GaugeFamily requests;
    private final GaugeFamily nvme;
    private final GaugeFamily cost;

    LedgerFigures(Regions regions, Costs costs, MeterRegistry registry) {
        this.regions = regions;
        this.costs = costs;
        this.bytes =
                new GaugeFamily(
                        registry,
                        "ledger.bytes",
                        "Bytes that workers fetched this " + "month, by source");
        this.requests =
                new GaugeFamily(
                        registry, "ledger.lake.requests", "Requests to the lake this month");
        this.nvme =
                new GaugeFamily(
                        registry,
                        "ledger.nvme.gb.hours",
                        "Space used on workers' disks this " + "month");
        this.cost =
                new GaugeFamily(registry, "ledger.cost", "Cost of this month, at today's prices");
    }

    @Override
    public void read() {
        LocalDate month = LocalDate.ofInstant(Instant.now(), ZoneOffset.UTC).withDayOfMonth(1);
        Choice choice = new Choice(month, month.plusMonths(1), null, null, null, null, null);
        Map<String, CostLine> found =
                costs.lines(choice, By.REGION, null, MOST_REGIONS).stream()
                        .collect(Collectors.toMap(CostLine::key, Function.identity()));
        for (String region : regions.names()) {
            CostLine line = found.getOrDefault(region, CostLine.nothing(region));
            bytes.put(region, "source", "lake", line.lakeBytes());
            bytes.put(region, "source", "peer", line.peerBytes());
            bytes.put(region, "source", "sibling", line.siblingBytes());
            bytes.put(region, "source", "on_premises", line.onPremisesBytes());
            bytes.put(region, "source", "readers", line.readerBytes());
            requests.put(region, line.lakeRequests());
            nvme.put(region, line.nvmeGbHours());
            if (costs.prices().isStated()) {
                cost.put(region, "kind", "lake", line.lake());
                cost.put(region, "kind", "siblings", line.siblings());
                cost.put(region, "kind", "requests", line.requests());
                cost.put(region, "kind", "nvme", line.nvme());
                cost.put(region, "kind", "without_cache", line.withoutCache());
            }
        }
        bytes.show();
        requests.show();
        nvme.show();
        cost.show();
    }

    @Override
    public void forget() {
        bytes.forget();
        requests.forget();
        nvme.forget();
        cost.forget();
    }
}
