package dev.forebay.devstack.stack;

import dev.forebay.devstack.server.EtcdServer;
import dev.forebay.devstack.server.PostgresServer;
import dev.forebay.devstack.server.S3Server;
import dev.forebay.devstack.server.Server;
import dev.forebay.devstack.server.TemporalServer;
import dev.forebay.devstack.tool.Toolbox;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;

/** Starts the parts of a stack, each as soon as what it needs is ready. */
final class Startup {
    /** What was started; empty where a server is somebody else's. */
    record Parts(
            Optional<S3Server> lake,
            Optional<TemporalServer> temporal,
            Optional<PostgresServer> postgres,
            List<Region> regions,
            QuarkusProcess controlPlane,
            External.LakeAddress lakeAddress,
            External.TemporalAddress temporalAddress,
            External.PostgresAddress postgresAddress) {}

    private record Starting(
            String name,
            Future<Optional<EtcdServer>> etcd,
            List<Future<QuarkusProcess>> workers,
            Future<QuarkusProcess> agent,
            Optional<Future<FuseMount>> fuse) {}

    private final StackConfig config;
    private final Layout layout;
    private final Tasks tasks;
    private final StackPorts ports;
    private final Settings settings;
    private final Path workerJar;
    private final Path serviceJar;
    private final Optional<Path> fuseJar;
    private final Optional<Path> fuseLibrary;

    Startup(StackConfig config, Layout layout, Tasks tasks) {
        this.config = config;
        this.layout = layout;
        this.tasks = tasks;
        this.ports = config.ports();
        this.settings = new Settings(config, layout);
        Repository repository = Repository.current();
        this.workerJar = repository.workerJar();
        this.serviceJar = repository.serviceJar();
        this.fuseJar = config.mounts() ? Optional.of(repository.fuseJar()) : Optional.empty();
        this.fuseLibrary = config.mounts() ? Toolbox.ofThisMachine().libfuse2() : Optional.empty();
    }

    Parts all() {
        Future<Optional<S3Server>> lake =
                optional("lake", config.external().lake().isPresent(), this::startLake);
        Future<Optional<TemporalServer>> temporal =
                optional(
                        "Temporal",
                        config.external().temporal().isPresent(),
                        () ->
                                TemporalServer.start(
                                        layout.temporal(),
                                        new TemporalServer.PortSet(
                                                ports.temporal(),
                                                ports.temporalUi(),
                                                ports.temporalHttp(),
                                                ports.temporalMetrics()),
                                        config.lifetime()));
        Future<Optional<PostgresServer>> postgres =
                optional(
                        "PostgreSQL",
                        config.external().postgres().isPresent(),
                        () ->
                                PostgresServer.start(
                                        layout.postgres(), ports.postgres(), config.lifetime()));
        Future<External.LakeAddress> lakeAddress = tasks.run(() -> lakeAddress(tasks.get(lake)));
        Future<External.TemporalAddress> temporalAddress =
                tasks.run(() -> temporalAddress(tasks.get(temporal)));
        Future<External.PostgresAddress> postgresAddress =
                tasks.run(() -> postgresAddress(tasks.get(postgres)));

        List<Starting> starting = new ArrayList<>();
        for (int i = 0; i < config.regions().size(); i++) {
            starting.add(region(i, config.regions().get(i), lakeAddress, temporalAddress));
        }
        Future<QuarkusProcess> controlPlane =
                server(
                        "control plane",
                        () -> {
                            External.PostgresAddress database = tasks.get(postgresAddress);
                            External.LakeAddress lakeIs = tasks.get(lakeAddress);
                            return QuarkusProcess.start(
                                    "control-plane",
                                    layout.controlPlane(),
                                    serviceJar,
                                    ports.api(),
                                    settings.controlPlane(
                                            lakeIs, tasks.get(temporalAddress), database),
                                    settings.secrets(lakeIs, database),
                                    config.lifetime());
                        });
        return new Parts(
                tasks.get(lake),
                tasks.get(temporal),
                tasks.get(postgres),
                starting.stream().map(this::started).toList(),
                tasks.get(controlPlane),
                tasks.get(lakeAddress),
                tasks.get(temporalAddress),
                tasks.get(postgresAddress));
    }

    private Starting region(
            int index,
            String name,
            Future<External.LakeAddress> lakeAddress,
            Future<External.TemporalAddress> temporalAddress) {
        Future<Optional<EtcdServer>> etcd =
                optional(
                        "etcd of " + name,
                        config.external().etcd().isPresent(),
                        () ->
                                EtcdServer.start(
                                        layout.etcd(name),
                                        ports.etcd(index),
                                        ports.etcdPeer(index),
                                        config.lifetime()));
        List<Future<QuarkusProcess>> workers = new ArrayList<>();
        for (int i = 0; i < config.workersPerRegion(); i++) {
            int worker = i;
            workers.add(
                    server(
                            "worker %d of %s".formatted(worker, name),
                            () -> {
                                External.LakeAddress lake = tasks.get(lakeAddress);
                                return QuarkusProcess.start(
                                        "worker",
                                        layout.worker(name, worker),
                                        workerJar,
                                        ports.worker(index, worker),
                                        settings.worker(name, worker, endpoints(etcd), lake),
                                        settings.secrets(lake),
                                        config.lifetime());
                            }));
        }
        Future<QuarkusProcess> agent =
                server(
                        "agent of " + name,
                        () -> {
                            External.LakeAddress lake = tasks.get(lakeAddress);
                            return QuarkusProcess.start(
                                    "agent",
                                    layout.agent(name),
                                    serviceJar,
                                    ports.agent(index),
                                    settings.agent(
                                            name,
                                            endpoints(etcd),
                                            lake,
                                            tasks.get(temporalAddress)),
                                    settings.secrets(lake),
                                    config.lifetime());
                        });
        Optional<Future<FuseMount>> fuse =
                fuseJar.map(
                        jar ->
                                server(
                                        "mount of " + name,
                                        () ->
                                                FuseMount.start(
                                                        name,
                                                        endpoints(etcd),
                                                        layout,
                                                        jar,
                                                        fuseLibrary,
                                                        ports.fuseMetrics(index),
                                                        config.lifetime())));
        return new Starting(name, etcd, workers, agent, fuse);
    }

    private Region started(Starting starting) {
        return new Region(
                starting.name(),
                tasks.get(starting.etcd()),
                starting.workers().stream().map(tasks::get).toList(),
                tasks.get(starting.agent()),
                starting.fuse().map(tasks::get));
    }

    private S3Server startLake() {
        Path directory = layout.lake();
        S3Server.createBucket(directory, config.manifestBucket());
        config.buckets().forEach(bucket -> S3Server.createBucket(directory, bucket));
        return S3Server.start(directory, ports.lake(), config.lifetime());
    }

    private String endpoints(Future<Optional<EtcdServer>> etcd) {
        return tasks.get(etcd)
                .map(own -> own.endpoint().toString())
                .or(() -> config.external().etcd())
                .orElseThrow();
    }

    private External.LakeAddress lakeAddress(Optional<S3Server> own) {
        External.LakeAddress address =
                own.map(
                                lake ->
                                        new External.LakeAddress(
                                                lake.endpoint(),
                                                S3Server.REGION,
                                                lake.accessKey(),
                                                lake.secretKey()))
                        .or(() -> config.external().lake())
                        .orElseThrow();
        URI seen = config.lakeAsSeen().apply(address.endpoint());
        return address.at(seen);
    }

    private External.TemporalAddress temporalAddress(Optional<TemporalServer> own) {
        return own.map(
                        temporal ->
                                new External.TemporalAddress(
                                        temporal.target(), Optional.of(temporal.ui())))
                .or(() -> config.external().temporal())
                .orElseThrow();
    }

    private External.PostgresAddress postgresAddress(Optional<PostgresServer> own) {
        return own.map(
                        postgres ->
                                new External.PostgresAddress(
                                        postgres.jdbcUrl(), postgres.user(), postgres.password()))
                .or(() -> config.external().postgres())
                .orElseThrow();
    }

    private <T extends Server> Future<T> server(String what, Callable<T> start) {
        return tasks.start(() -> timed(what, start));
    }

    private <T extends Server> Future<Optional<T>> optional(
            String what, boolean external, Callable<T> start) {
        if (external) {
            return tasks.run(Optional::<T>empty);
        }
        Future<T> server = server(what, start);
        return tasks.run(() -> Optional.of(tasks.get(server)));
    }

    private <T> T timed(String what, Callable<T> start) throws Exception {
        long began = System.nanoTime();
        T result = start.call();
        Duration took = Duration.ofNanos(System.nanoTime() - began);
        config.progress().accept("%s is ready (%d ms)".formatted(what, took.toMillis()));
        return result;
    }
}
