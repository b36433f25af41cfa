package dev.forebay.control;

import dev.forebay.control.config.ControlPlaneConfig;
import dev.forebay.control.eviction.Watermarks;
import dev.forebay.control.figures.Figures;
import dev.forebay.control.figures.FiguresConfig;
import dev.forebay.control.ledger.Budgets;
import dev.forebay.control.ledger.LedgerConfig;
import dev.forebay.control.prices.PriceTable;
import dev.forebay.control.tracking.DatasetTracking;
import dev.forebay.lake.s3.BucketAccess;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.RegionName;
import dev.forebay.service.Role;
import dev.forebay.service.ServiceConfig;
import dev.forebay.service.Startup;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Singleton;
import org.jboss.logging.Logger;

/** Starts and stops the parts of the control plane. */
@Singleton
class ControlPlane {

    private static final Logger LOG = Logger.getLogger(ControlPlane.class);

    private static final long MIN_PROGRESS_MILLIS = 100;
    private static final long SHORTEST_RETENTION_DAYS = 62;

    private final ServiceConfig service;
    private final ControlPlaneConfig config;
    private final Instance<PriceTable> prices;
    private final Instance<Budgets> budgets;
    private final LedgerConfig ledger;
    private final FiguresConfig figuresConfig;
    private final Instance<Figures> figures;
    private final Instance<TemporalRuntime> engine;

    ControlPlane(
            ServiceConfig service,
            ControlPlaneConfig config,
            Instance<PriceTable> prices,
            Instance<Budgets> budgets,
            LedgerConfig ledger,
            FiguresConfig figuresConfig,
            Instance<Figures> figures,
            Instance<TemporalRuntime> engine) {
        this.service = service;
        this.config = config;
        this.prices = prices;
        this.budgets = budgets;
        this.ledger = ledger;
        this.figuresConfig = figuresConfig;
        this.figures = figures;
        this.engine = engine;
    }

    void start(@Observes StartupEvent event) {
        if (service.role() != Role.CONTROL_PLANE) {
            return;
        }
        Startup.run(
                () -> {
                    check();
                    prices.get(); // refuses invalid prices
                    budgets.get().check();
                    engine.get().start();
                    figures.get().start();
                });
        LOG.infof("Control plane of regions %s is ready", config.regions().keySet());
    }

    void stop(@Observes ShutdownEvent event) {
        if (service.role() == Role.CONTROL_PLANE) {
            figures.get().stop();
            engine.get().stop();
        }
    }

    private void check() {
        if (config.manifestBucket().isEmpty()) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "forebay.manifest-bucket must name Forebay's own bucket in the lake");
        }
        ServiceConfig.LakeSettings lake = service.lake();
        BucketAccess.of(lake.anonymousBuckets(), lake.requesterPaysBuckets())
                .requireWritable(config.manifestBucket().get());
        for (String region : config.regions().keySet()) {
            try {
                new RegionName(region);
            } catch (ForebayException e) {
                throw new ForebayException(
                        ErrorCode.INVALID_ARGUMENT,
                        "forebay.regions.%s.agent: %s".formatted(region, e.getMessage()),
                        e);
            }
        }
        config.regions()
                .forEach(
                        (name, region) -> {
                            if (region.gpus().orElse(0) < 0) {
                                throw new ForebayException(
                                        ErrorCode.INVALID_ARGUMENT,
                                        "forebay.regions.%s.gpus must be at least 0"
                                                .formatted(name));
                            }
                        });
        if (config.ingest().concurrency() < 1) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT, "forebay.ingest.concurrency must be at least 1");
        }
        if (config.plan().objects() < 1) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT, "forebay.plan.objects must be at least 1");
        }
        if (config.plan().listings() < 1) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT, "forebay.plan.listings must be at least 1");
        }
        if (config.comparison().objects() < 1) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT, "forebay.comparison.objects must be at least 1");
        }
        if (config.fsck().page().toMillis() < 1) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT, "forebay.fsck.page must be at least 1 millisecond");
        }
        if (config.fsck().settle().isNegative()) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT, "forebay.fsck.settle must be at least 0");
        }
        if (config.ingest().requests() < 1) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT, "forebay.ingest.requests must be at least 1");
        }
        if (config.ingest().keyList().asLongValue() < 1) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT, "forebay.ingest.key-list must be at least 1 byte");
        }
        if (config.progress().streams() < 0) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT, "forebay.progress.streams must be at least 0");
        }
        if (config.progress().interval().toMillis() < MIN_PROGRESS_MILLIS) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "forebay.progress.interval must be at least 0.1 seconds");
        }
        if (!config.requests().lakeTimeout().isPositive()) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "forebay.requests.lake-timeout must be more than 0");
        }
        if (ledger.interval().toSeconds() < 1) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "forebay.ledger.interval must be at least 1 second");
        }
        if (figuresConfig.interval().toSeconds() < 1) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "forebay.figures.interval must be at least 1 second");
        }
        if (ledger.retention().toDays() < SHORTEST_RETENTION_DAYS) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "forebay.ledger.retention must be at least 62 days: budgets are of a month");
        }
        if (config.tracking().interval().compareTo(DatasetTracking.SHORTEST) < 0
                || config.tracking().interval().compareTo(DatasetTracking.LONGEST) > 0) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "forebay.tracking.interval must be from 10 seconds to 30 days");
        }
        if (config.sweep().interval().toSeconds() < 1) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT, "forebay.sweep.interval must be at least 1 second");
        }
        var _ = new Watermarks(config.sweep().highWatermark(), config.sweep().lowWatermark());
    }
}
