package dev.forebay.control;

import dev.forebay.control.config.ControlPlaneConfig;
import dev.forebay.control.eviction.Watermarks;
import dev.forebay.control.figures.FiguresConfig;
import dev.forebay.control.figures.MetricsPublisher;
import dev.forebay.control.ledger.Budgets;
import dev.forebay.control.ledger.LedgerConfig;
import dev.forebay.control.prices.PriceTable;
import dev.forebay.lake.s3.BucketAccess;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.RegionName;
import dev.forebay.service.Role;
import dev.forebay.service.ServiceConfig;
import dev.forebay.settings.SettingsCheck;
import dev.forebay.settings.Startup;
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

    private final ServiceConfig service;
    private final ControlPlaneConfig config;
    private final Instance<PriceTable> prices;
    private final Instance<Budgets> budgets;
    private final LedgerConfig ledger;
    private final FiguresConfig figuresConfig;
    private final Instance<MetricsPublisher> figures;
    private final Instance<TemporalRuntime> engine;

    ControlPlane(
            ServiceConfig service,
            ControlPlaneConfig config,
            Instance<PriceTable> prices,
            Instance<Budgets> budgets,
            LedgerConfig ledger,
            FiguresConfig figuresConfig,
            Instance<MetricsPublisher> figures,
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
        SettingsCheck.check(config, ledger, figuresConfig);
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
        var _ = new Watermarks(config.sweep().highWatermark(), config.sweep().lowWatermark());
    }
}
