package dev.forebay.devstack.stack;

import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Builds the settings of workers, agents and the control plane. docs/configuration.md lists their
 * names.
 */
final class Settings {

    /** Short, so that the user of a devstack sees the costs of his actions at once. */
    private static final Duration LEDGER_INTERVAL = Duration.ofSeconds(2);

    private static final String TEMPORAL_NAMESPACE = "default";

    private final StackConfig config;
    private final Layout layout;
    private final Optional<StackTls> tls;

    Settings(StackConfig config, Layout layout, Optional<StackTls> tls) {
        this.config = config;
        this.layout = layout;
        this.tls = tls;
    }

    Map<String, String> worker(
            String region, int index, String etcd, ExternalServers.LakeAddress lake) {
        Map<String, String> settings = regional(region, etcd, lake);
        settings.put(
                "forebay.worker.directory", listed(layout.worker(region, index).resolve("store")));
        settings.put("forebay.worker.capacity", Long.toString(config.workerCapacity()));
        tls.ifPresent(those -> those.putWorker(settings));
        putMore(settings, true);
        return settings;
    }

    Map<String, String> agent(
            String region,
            String etcd,
            ExternalServers.LakeAddress lake,
            ExternalServers.TemporalAddress temporal) {
        Map<String, String> settings = regional(region, etcd, lake);
        settings.put("forebay.mount-root", layout.mountRoot().toString());
        settings.put("forebay.work-directory", layout.agent(region).resolve("work").toString());
        putTemporal(settings, temporal);
        putMore(settings, false);
        return settings;
    }

    Map<String, String> controlPlane(
            ExternalServers.LakeAddress lake,
            ExternalServers.TemporalAddress temporal,
            ExternalServers.PostgresAddress database) {
        Map<String, String> settings = common(lake);
        settings.put("forebay.work-directory", layout.controlPlane().resolve("work").toString());
        settings.put("forebay.sweep.interval", config.sweepInterval().toString());
        settings.put("forebay.ledger.interval", LEDGER_INTERVAL.toString());
        for (int i = 0; i < config.regions().size(); i++) {
            settings.put(
                    "forebay.regions.\"%s\".agent".formatted(config.regions().get(i)),
                    "http://127.0.0.1:" + config.ports().agent(i));
        }
        settings.put("quarkus.datasource.jdbc.url", database.url());
        settings.put("quarkus.datasource.username", database.user());
        putTemporal(settings, temporal);
        putMore(settings, false);
        return settings;
    }

    Map<String, String> secrets(ExternalServers.LakeAddress lake) {
        return new LinkedHashMap<>(lake.credentials());
    }

    Map<String, String> agentEnvironment(ExternalServers.LakeAddress lake) {
        Map<String, String> environment = secrets(lake);
        config.kubeconfig().ifPresent(file -> environment.put("KUBECONFIG", file.toString()));
        return environment;
    }

    Map<String, String> secrets(
            ExternalServers.LakeAddress lake, ExternalServers.PostgresAddress database) {
        Map<String, String> secrets = secrets(lake);
        secrets.put("QUARKUS_DATASOURCE_PASSWORD", database.password());
        return secrets;
    }

    private Map<String, String> regional(
            String region, String etcd, ExternalServers.LakeAddress lake) {
        Map<String, String> settings = common(lake);
        settings.put("forebay.region", region);
        settings.put("forebay.etcd.endpoints", etcd);
        tls.ifPresent(those -> those.putClient(settings));
        return settings;
    }

    private Map<String, String> common(ExternalServers.LakeAddress lake) {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("forebay.lake.endpoint", lake.endpoint().toString());
        settings.put("forebay.lake.region", lake.region());
        settings.put("forebay.lake.path-style", Boolean.toString(lake.pathStyle()));
        settings.put("forebay.manifest-bucket", config.manifestBucket());
        config.tokenFile().ifPresent(file -> settings.put("forebay.token-file", file.toString()));
        return settings;
    }

    /**
     * Adds the further settings. A process refuses unknown settings, so only workers get theirs.
     */
    private void putMore(Map<String, String> settings, boolean isWorker) {
        config.properties()
                .forEach(
                        (name, value) -> {
                            if (isWorker == name.startsWith("forebay.worker.")) {
                                settings.put(name, value);
                            }
                        });
    }

    /** Returns a path as one element of a list, with commas escaped. */
    private static String listed(Path path) {
        return path.toString().replace("\\", "\\\\").replace(",", "\\,");
    }

    private static void putTemporal(
            Map<String, String> settings, ExternalServers.TemporalAddress temporal) {
        settings.put("forebay.temporal.target", temporal.target());
        settings.put("forebay.temporal.namespace", TEMPORAL_NAMESPACE);
        temporal.ui().ifPresent(ui -> settings.put("forebay.temporal.ui", ui.toString()));
    }
}
