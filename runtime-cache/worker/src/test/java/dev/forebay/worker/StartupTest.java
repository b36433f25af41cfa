package dev.forebay.worker;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.quarkus.runtime.configuration.ConfigurationException;
import io.quarkus.runtime.configuration.DurationConverter;
import io.quarkus.runtime.configuration.MemorySize;
import io.quarkus.runtime.configuration.MemorySizeConverter;
import io.smallrye.config.SmallRyeConfig;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Settings with which a worker cannot start. {@link WorkerEdgeIT} checks for some of them that the
 * process prints exactly this message.
 */
class StartupTest {

    @TempDir Path store;

    @ParameterizedTest(name = "{0} = {1}: {2}")
    @CsvSource({
        "quarkus.http.host, 0.0.0.0, forebay.token-file must be set",
        "quarkus.http.port, 0, quarkus.http.port is 0: it must",
        "forebay.token-file, /nowhere, forebay.token-file: cannot read",
        "forebay.region, US, forebay.region: region 'US' must be",
        "forebay.worker-ca, /nowhere, forebay.worker-ca is /nowhere: it must",
        "forebay.service-ca, /nowhere, forebay.service-ca is /nowhere: it must",
        "forebay.etcd.endpoints, localhost, forebay.etcd.endpoints must be",
        "forebay.etcd.tls.ca, /nowhere, forebay.etcd.tls",
        "forebay.lake.endpoint, foo, forebay.lake.endpoint is foo: it must",
        "forebay.lake.slowest-rate, 99999999999999999999G, forebay.lake.slowest-rate is",
        "forebay.lake.attempts, 0, forebay.lake.attempts is 0: it must",
        "forebay.lake.requests-per-second, 0, forebay.lake.requests-per-second is 0: it must",
        "forebay.worker.capacity, 1M, forebay.worker.capacity is 1048576: it must",
        "forebay.worker.directory, /proc/nowhere, forebay.worker.directory is /proc/nowhere: it must",
        "forebay.worker.tls.certificate, /nowhere, forebay.worker.tls.key is not set: it must"
    })
    void aWorkerThatCannotStartNamesTheSetting(String setting, String value, String message) {
        assertThatThrownBy(() -> start(setting, value))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageStartingWith("Forebay does not start: " + message)
                // With a cause, Quarkus would print a stack trace.
                .hasNoCause();
    }

    private void start(String setting, String value) {
        SmallRyeConfig config =
                new SmallRyeConfigBuilder()
                        .withMapping(WorkerConfig.class)
                        .withMapping(LakeConfig.class)
                        .withMapping(RegionEtcdConfig.class)
                        .withConverter(MemorySize.class, 100, new MemorySizeConverter())
                        .withConverter(Duration.class, 200, new DurationConverter())
                        .withDefaultValue("quarkus.http.host", "127.0.0.1")
                        .withDefaultValue("quarkus.http.port", "7400")
                        .withDefaultValue("forebay.region", TestRegion.NAME)
                        .withDefaultValue("forebay.etcd.endpoints", "http://127.0.0.1:2379")
                        .withDefaultValue("forebay.lake.endpoint", "http://127.0.0.1:9000")
                        .withDefaultValue("forebay.worker.directory", store.toString())
                        .withDefaultValues(Map.of(setting, value))
                        .build();
        WorkerConfig worker = config.getConfigMapping(WorkerConfig.class);
        ProcessConfig process =
                new ProcessConfig(
                        config.getValue("forebay.region", String.class),
                        config.getOptionalValue("forebay.token-file", Path.class),
                        config.getOptionalValue("forebay.worker-ca", Path.class),
                        config.getOptionalValue("forebay.service-ca", Path.class),
                        config.getValue("quarkus.http.host", String.class),
                        config.getValue("quarkus.http.port", Integer.class));
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        var _ = new WorkerTls(worker, registry);
        var _ =
                new WorkerApplication()
                        .worker(
                                worker,
                                config.getConfigMapping(LakeConfig.class),
                                config.getConfigMapping(RegionEtcdConfig.class),
                                process,
                                registry);
    }
}
