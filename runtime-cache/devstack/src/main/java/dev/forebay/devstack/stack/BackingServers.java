package dev.forebay.devstack.stack;

import dev.forebay.devstack.server.EtcdServer;
import dev.forebay.devstack.server.PostgresServer;
import dev.forebay.devstack.server.S3Server;
import dev.forebay.devstack.server.TemporalServer;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Future;

/** The servers that Forebay needs: started by the devstack, or external. */
final class BackingServers {
    private final StackConfig config;
    private final Layout layout;
    private final Tasks tasks;
    private final ExternalServers external;
    private final Future<Optional<S3Server>> lake;
    private final Future<Optional<TemporalServer>> temporal;
    private final Future<Optional<PostgresServer>> postgres;
    private final Future<ExternalServers.LakeAddress> lakeAddress;

    BackingServers(StackConfig config, Layout layout, Tasks tasks) {
        this.config = config;
        this.layout = layout;
        this.tasks = tasks;
        this.external = config.external();
        this.lake = tasks.startUnless(external.lake().isPresent(), "lake", this::startLake);
        this.temporal =
                tasks.startUnless(external.temporal().isPresent(), "Temporal", this::startTemporal);
        this.postgres =
                tasks.startUnless(
                        external.postgres().isPresent(),
                        "PostgreSQL",
                        () ->
                                PostgresServer.start(
                                        layout.postgres(),
                                        config.ports().postgres(),
                                        config.lifetime()));
        // Only once, because it may start a proxy.
        this.lakeAddress = tasks.run(this::findLake);
    }

    Optional<S3Server> lake() {
        return tasks.get(lake);
    }

    Optional<TemporalServer> temporal() {
        return tasks.get(temporal);
    }

    Optional<PostgresServer> postgres() {
        return tasks.get(postgres);
    }

    /**
     * Returns the lake's address for Forebay's processes. Like all methods here, waits until the
     * server is ready.
     */
    ExternalServers.LakeAddress lakeAddress() {
        return tasks.get(lakeAddress);
    }

    ExternalServers.TemporalAddress temporalAddress() {
        return temporal()
                .map(
                        own ->
                                new ExternalServers.TemporalAddress(
                                        own.target(), Optional.of(own.ui())))
                .or(external::temporal)
                .orElseThrow();
    }

    ExternalServers.PostgresAddress postgresAddress() {
        return postgres()
                .map(
                        own ->
                                new ExternalServers.PostgresAddress(
                                        own.jdbcUrl(), own.user(), own.password()))
                .or(external::postgres)
                .orElseThrow();
    }

    Future<Optional<EtcdServer>> etcd(int region, String name) {
        return tasks.startUnless(
                external.etcd().isPresent(),
                "etcd of " + name,
                () ->
                        EtcdServer.start(
                                layout.etcd(name),
                                config.ports().etcd(region),
                                config.ports().etcdPeer(region),
                                config.lifetime()));
    }

    String endpoints(Future<Optional<EtcdServer>> etcd) {
        return tasks.get(etcd)
                .map(own -> own.endpoint().toString())
                .or(external::etcd)
                .orElseThrow();
    }

    private S3Server startLake() {
        Path directory = layout.lake();
        S3Server.createBucket(directory, config.manifestBucket());
        config.buckets().forEach(bucket -> S3Server.createBucket(directory, bucket));
        return S3Server.start(directory, config.ports().lake(), config.lifetime());
    }

    private TemporalServer startTemporal() {
        StackPorts ports = config.ports();
        return TemporalServer.start(
                layout.temporal(),
                new TemporalServer.PortSet(
                        ports.temporal(),
                        ports.temporalUi(),
                        ports.temporalHttp(),
                        ports.temporalMetrics()),
                config.lifetime());
    }

    private ExternalServers.LakeAddress findLake() {
        ExternalServers.LakeAddress address =
                lake().map(
                                own ->
                                        new ExternalServers.LakeAddress(
                                                own.endpoint(),
                                                S3Server.REGION,
                                                true,
                                                Map.of(
                                                        "AWS_ACCESS_KEY_ID",
                                                        own.accessKey(),
                                                        "AWS_SECRET_ACCESS_KEY",
                                                        own.secretKey())))
                        .or(external::lake)
                        .orElseThrow();
        return address.at(config.lakeAsSeen().apply(address.endpoint()));
    }
}
