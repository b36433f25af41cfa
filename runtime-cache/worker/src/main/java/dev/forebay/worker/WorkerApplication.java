package dev.forebay.worker;

import dev.forebay.lake.s3.BucketAccess;
import dev.forebay.lake.s3.S3Lake;
import dev.forebay.lake.s3.S3LakeConfig;
import dev.forebay.membership.etcd.EtcdConfig;
import dev.forebay.membership.etcd.EtcdRegionState;
import dev.forebay.settings.Startup;
import dev.forebay.tls.TlsSettings;
import dev.forebay.worker.fill.LakePace;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.ShutdownDelayInitiatedEvent;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.vertx.http.HttpServerStart;
import io.vertx.ext.web.Router;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.event.ObservesAsync;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Starts and stops the worker with Quarkus. */
@ApplicationScoped
class WorkerApplication {

    /** Connections for manifests, which are fetched in addition to the limited object reads. */
    private static final int MANIFEST_CONNECTIONS = 2;

    private static final Logger LOG = LoggerFactory.getLogger(WorkerApplication.class);

    @Produces
    @Singleton
    Worker worker(
            WorkerConfig config,
            LakeConfig lakeConfig,
            RegionEtcdConfig etcd,
            ProcessConfig process,
            MeterRegistry registry) {
        return Startup.get(() -> worker(config, lakeConfig, etcd(etcd), process, registry));
    }

    private static Worker worker(
            WorkerConfig config,
            LakeConfig lakeConfig,
            EtcdConfig etcd,
            ProcessConfig process,
            MeterRegistry registry) {
        // Checks all settings before the first connection, whose failure would hide an invalid
        // setting.
        ConfigCheck.check(config, lakeConfig);
        ConfigCheck.checkHome(config.home());
        LakePace pace = new LakePace(lakeConfig.requestsPerSecond());
        S3Lake lake = S3Lake.open(lake(lakeConfig, config), pace);
        return new Worker(
                config,
                process,
                EtcdRegionState.connect(etcd, process.region()),
                lake,
                pace,
                new WorkerMetrics(registry));
    }

    private static EtcdConfig etcd(RegionEtcdConfig etcd) {
        RegionEtcdConfig.Tls tls = etcd.tls();
        return EtcdConfig.of(
                "forebay.etcd.endpoints",
                etcd.endpoints(),
                new TlsSettings("forebay.etcd.tls.", tls.ca(), tls.certificate(), tls.key()));
    }

    private static S3LakeConfig lake(LakeConfig lake, WorkerConfig worker) {
        return new S3LakeConfig(
                lake.endpoint().orElse(null),
                lake.region(),
                lake.pathStyle(),
                lake.stsEndpoint().orElse(null),
                BucketAccess.of(lake.anonymousBuckets(), lake.requesterPaysBuckets()),
                worker.fill().lakeRequests() + MANIFEST_CONNECTIONS,
                lake.connectTimeout(),
                lake.idleTimeout(),
                lake.attemptTimeout(),
                lake.slowestRate().asLongValue(),
                lake.attempts());
    }

    /**
     * Registers the routes. Quarkus calls this before it listens, so that no request finds a worker
     * without routes.
     */
    void routes(@Observes Router router, Worker worker, ProcessConfig process) {
        worker.routes(process.token()).register(router);
    }

    /** Registers the worker in the region once it accepts connections. */
    void joinRegion(
            @ObservesAsync HttpServerStart started,
            Worker worker,
            WorkerConfig config,
            ProcessConfig process) {
        String scheme = config.tls().files().isPresent() ? "https" : "http";
        var address = config.advertisedAddress().orElseGet(() -> process.address(scheme));
        worker.registration().join(address);
        LOG.info("Worker {} of region {} at {}", worker.id(), process.region(), address);
    }

    /**
     * Leaves the region first, so that readers use other workers while this one finishes its
     * requests.
     */
    void leaveRegion(
            @Observes ShutdownDelayInitiatedEvent event, Worker worker, WorkerConfig config)
            throws Exception {
        worker.registration().drainBeforeStop(config.drain().onStop());
        worker.registration().leave();
    }

    /** Stops the worker. Quarkus has already waited for running requests. */
    void stop(@Observes ShutdownEvent event, Worker worker) throws Exception {
        worker.stop();
    }
}
