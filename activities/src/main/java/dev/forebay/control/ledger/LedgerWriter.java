package dev.forebay.control.ledger;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.forebay.control.catalogue.reports.HistoryCatalogue;
import dev.forebay.control.catalogue.reports.LedgerCatalogue;
import dev.forebay.control.regions.Regions;
import dev.forebay.model.RegionName;
import dev.forebay.service.gateway.RegionReport.WorkerReport;
import dev.forebay.thread.CatchAll;
import dev.forebay.thread.PeriodicTask;
import dev.forebay.transfer.AccountPage;
import dev.forebay.transfer.AccountStatement;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Enters the accounts of all regions' workers into the ledger at regular intervals, and lets
 * workers forget closed accounts that are entered. Workers keep an account until then, so an outage
 * of any process loses nothing. Several control planes may do this: the ledger counts each
 * statement once.
 */
@Singleton
public class LedgerWriter {

    private static final Logger LOG = Logger.getLogger(LedgerWriter.class);

    private static final int FORGET_BATCH = 10_000;

    private final Regions regions;
    private final LedgerCatalogue ledger;
    private final HistoryCatalogue history;
    private final ObjectMapper json;
    private final MeterRegistry metrics;
    private final LedgerConfig config;

    /**
     * The workers whose accounts could not be entered last time. The log mentions each of them
     * once.
     */
    private final Set<String> behind = new HashSet<>();

    private final PeriodicTask task;

    LedgerWriter(
            Regions regions,
            LedgerCatalogue ledger,
            HistoryCatalogue history,
            ObjectMapper json,
            MeterRegistry metrics,
            LedgerConfig config) {
        this.regions = regions;
        this.ledger = ledger;
        this.history = history;
        this.json = json;
        this.metrics = metrics;
        this.config = config;
        this.task =
                new PeriodicTask(
                        Thread.ofPlatform().daemon().name("bookkeeper"),
                        config.interval(),
                        "Cannot update the ledger",
                        this::round);
    }

    public void start() {
        task.startAfterPause();
    }

    public void stop() {
        task.interrupt();
    }

    private void round() {
        for (Regions.Reported region : regions.reports()) {
            region.report()
                    .ifPresent(
                            report ->
                                    report.workers().stream()
                                            .filter(WorkerReport::live)
                                            .forEach(worker -> note(region.name(), worker.id())));
        }
        Instant before = Instant.now().minus(config.retention());
        ledger.forget(before, FORGET_BATCH);
        history.forget(before, FORGET_BATCH);
    }

    /** A failure with one worker's accounts must not delay those of other workers. */
    private void note(RegionName region, String worker) {
        String name = region + "/" + worker;
        boolean noted =
                CatchAll.run(
                        () -> noteAll(region, worker),
                        e -> {
                            if (behind.add(name)) {
                                LOG.warnf(
                                        e, "Cannot book the accounts of worker %s; retrying", name);
                            }
                        });
        if (noted && behind.remove(name)) {
            LOG.infof("The ledger includes worker %s again", name);
        }
        String outcome = noted ? "booked" : "failed";
        metrics.counter("forebay.control.ledger.statements", "outcome", outcome).increment();
    }

    private void noteAll(RegionName region, String worker) {
        Integer after = -1;
        while (after != null) {
            after = notePage(region, worker, after);
        }
    }

    private @Nullable Integer notePage(RegionName region, String worker, int after) {
        AccountPage page = regions.accounts(region, worker, after);
        if (!page.accounts().isEmpty()) {
            ledger.note(region, worker, written(page.accounts()));
        }
        for (AccountStatement account : page.accounts()) {
            if (account.closed()) {
                regions.settle(region, worker, account.id(), account.revision());
            }
        }
        return page.next();
    }

    private String written(List<AccountStatement> statements) {
        try {
            return json.writeValueAsString(statements);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("statements are always JSON", e);
        }
    }
}
