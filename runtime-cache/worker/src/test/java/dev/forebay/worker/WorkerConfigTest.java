package dev.forebay.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.tls.KeyFiles;
import io.quarkus.runtime.configuration.DurationConverter;
import io.quarkus.runtime.configuration.MemorySize;
import io.quarkus.runtime.configuration.MemorySizeConverter;
import io.smallrye.config.ConfigMappings;
import io.smallrye.config.ConfigValidationException;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WorkerConfigTest {

    @Test
    void onlyTheDirectoryHasNoDefault() {
        WorkerConfig config = config(Map.of());

        check(config);
        assertThat(config.capacity().asLongValue()).isEqualTo(10L << 30);
        assertThat(config.files()).isEqualTo(5_000_000);
        assertThat(config.advertisedAddress()).isEmpty();
        assertThat(config.fill().concurrency()).isEqualTo(8);
        assertThat(config.fill().lakeRequests()).isEqualTo(64);
        assertThat(config.fill().changedMemory()).isEqualTo(Duration.ofSeconds(30));
        assertThat(config.peers().attempts()).isEqualTo(16);
        assertThat(config.requests().concurrency()).isEqualTo(256);
        assertThat(config.scrub().bytesPerSecond().asLongValue()).isEqualTo(4L << 20);
        assertThat(config.orphans().interval()).isEqualTo(Duration.ofHours(6));
        assertThat(config.orphans().bytesPerSecond().asLongValue()).isEqualTo(1L << 30);
        assertThatThrownBy(() -> mapping(Map.of()))
                .isInstanceOf(ConfigValidationException.class)
                .hasMessageContaining("forebay.worker.directory");
    }

    @Test
    void everySettingCanBeSet() {
        WorkerConfig config =
                config(
                        Map.ofEntries(
                                Map.entry("directory", "/store,/more"),
                                Map.entry("capacity", "64M"),
                                Map.entry("files", "19"),
                                Map.entry("advertised-address", "http://10.0.0.1:7400"),
                                Map.entry("disk.calls", "26"),
                                Map.entry("disk.timeout", "27s"),
                                Map.entry("fill.concurrency", "1"),
                                Map.entry("fill.queue", "2"),
                                Map.entry("fill.lake-requests", "3"),
                                Map.entry("fill.lake-requests-per-chunk", "4"),
                                Map.entry("fill.ahead", "0"),
                                Map.entry("fill.timeout", "5s"),
                                Map.entry("fill.changed-memory", "6s"),
                                Map.entry("fill.changed-memory-objects", "7"),
                                Map.entry("peers.attempts", "0"),
                                Map.entry("peers.timeout", "8s"),
                                Map.entry("peers.first-byte", "7s"),
                                Map.entry("peers.back-off", "9s"),
                                Map.entry("siblings.concurrency", "22"),
                                Map.entry("siblings.timeout", "23s"),
                                Map.entry("siblings.first-byte", "24s"),
                                Map.entry("siblings.back-off", "25s"),
                                Map.entry("requests.concurrency", "10"),
                                Map.entry("requests.fill-concurrency", "11"),
                                Map.entry("requests.queue", "12"),
                                Map.entry("requests.retry-after", "13s"),
                                Map.entry("scrub.bytes-per-second", "0"),
                                Map.entry("scrub.pause", "14s"),
                                Map.entry("orphans.interval", "16s"),
                                Map.entry("orphans.bytes-per-second", "17"),
                                Map.entry("drain.timeout", "19s"),
                                Map.entry("drain.bytes-per-second", "20"),
                                Map.entry("drain.on-stop", "21s"),
                                Map.entry("manifests.open", "15"),
                                Map.entry("manifests.capacity", "1G"),
                                Map.entry("images.capacity", "18G")));

        check(config);
        assertThat(config.directories()).containsExactly(Path.of("/store"), Path.of("/more"));
        assertThat(config.home()).isEqualTo(Path.of("/store"));
        assertThat(config.files()).isEqualTo(19);
        assertThat(config.advertisedAddress()).contains(URI.create("http://10.0.0.1:7400"));
        assertThat(config.disk().calls()).isEqualTo(26);
        assertThat(config.disk().timeout()).isEqualTo(Duration.ofSeconds(27));
        assertThat(config.siblings().concurrency()).isEqualTo(22);
        assertThat(config.siblings().backOff()).isEqualTo(Duration.ofSeconds(25));
        assertThat(config.requests().retryAfter()).isEqualTo(Duration.ofSeconds(13));
        assertThat(config.orphans().interval()).isEqualTo(Duration.ofSeconds(16));
        assertThat(config.orphans().bytesPerSecond().asLongValue()).isEqualTo(17);
        assertThat(config.manifests().capacity().asLongValue()).isEqualTo(1L << 30);
        assertThat(config.images().capacity().asLongValue()).isEqualTo(18L << 30);
    }

    @ParameterizedTest
    @CsvSource({
        "capacity, 31M",
        "directory, '/store,/store'",
        "files, 3",
        "advertised-address, not-a-uri-with-a-host",
        "advertised-address, http://host-without-a-port",
        "disk.calls, 0",
        "disk.timeout, 0s",
        "fill.concurrency, 0",
        "fill.queue, 0",
        "fill.ahead, -1",
        "fill.lake-requests, 0",
        "fill.lake-requests-per-chunk, -1",
        "fill.timeout, 0s",
        "fill.changed-memory, -1s",
        "fill.changed-memory-objects, 0",
        "peers.attempts, -1",
        "peers.timeout, 0s",
        "peers.first-byte, 0s",
        "siblings.concurrency, 0",
        "siblings.timeout, 0s",
        "siblings.first-byte, 0s",
        "siblings.back-off, -1s",
        "drain.timeout, 0s",
        "drain.bytes-per-second, 0",
        "drain.on-stop, -1s",
        "requests.concurrency, 0",
        "requests.fill-concurrency, 0",
        "requests.queue, -1",
        "scrub.pause, 0s",
        "orphans.interval, 0s",
        "manifests.open, 0",
        "images.capacity, 0"
    })
    void theErrorNamesTheSettingThatBreaksARule(String property, String value) {
        WorkerConfig config = config(Map.of(property, value));

        assertThatThrownBy(() -> check(config))
                .isInstanceOfSatisfying(
                        ForebayException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
                .hasMessageContaining("forebay.worker." + property);
    }

    /** Without bounds, sums of such settings could overflow. */
    @Test
    void everyNumericSettingHasAMaximum() {
        Map<Class<?>, String> tooMuch =
                Map.of(
                        int.class, "2147483647",
                        long.class, "9223372036854775807",
                        Duration.class, "P106751991167300D",
                        MemorySize.class, "9999999999999999999999G");
        AtomicInteger numbers = new AtomicInteger();

        ConfigMappings.getProperties(ConfigMappings.ConfigClass.configClass(WorkerConfig.class))
                .forEach(
                        (name, property) -> {
                            String value = tooMuch.get(property.getMethod().getReturnType());
                            if (value != null) {
                                numbers.incrementAndGet();
                                String below = name.substring("forebay.worker.".length());
                                assertThatThrownBy(() -> check(config(Map.of(below, value))))
                                        .isInstanceOf(ForebayException.class)
                                        .hasMessageStartingWith(name + " is ")
                                        .hasMessageContaining("at most");
                            }
                        });

        assertThat(numbers).hasValueGreaterThan(30);
    }

    @Test
    void theErrorNamesAnUnusableDirectory(@TempDir Path directory) throws IOException {
        Path file = Files.createFile(directory.resolve("file"));

        assertThatThrownBy(() -> ConfigCheck.checkHome(file.resolve("below")))
                .isInstanceOf(ForebayException.class)
                .hasMessageStartingWith("forebay.worker.directory is " + file)
                .hasMessageContaining("must be a directory");
        ConfigCheck.checkHome(directory.resolve("new"));
        assertThat(directory.resolve("new")).isDirectory();
    }

    @Test
    void tlsRequiresACertificateAKeyAndAnHttpsAddress() {
        Map<String, String> tls = Map.of("tls.certificate", "/tls.crt", "tls.key", "/tls.key");

        assertThat(config(tls).tls().files())
                .contains(
                        new KeyFiles(
                                "forebay.worker.tls.", Path.of("/tls.crt"), Path.of("/tls.key")));
        assertThat(config(Map.of()).tls().files()).isEmpty();
        check(config(tls));
        tls.forEach(
                (name, value) -> {
                    String other = name.equals("tls.key") ? "tls.certificate" : "tls.key";
                    assertThatThrownBy(() -> check(config(Map.of(name, value))))
                            .hasMessageContaining("forebay.worker." + other + " is not set");
                });
        Map<String, String> plain = new HashMap<>(tls);
        plain.put("advertised-address", "http://10.0.0.1:7400");
        assertThatThrownBy(() -> check(config(plain)))
                .hasMessageContaining("forebay.worker.advertised-address")
                .hasMessageContaining("must be https");
    }

    @Test
    void theErrorNamesAnUnknownSetting() {
        assertThatThrownBy(() -> config(Map.of("capcity", "1G")))
                .isInstanceOf(ConfigValidationException.class)
                .hasMessageContaining("forebay.worker.capcity");
        assertThatCode(() -> config(Map.of())).doesNotThrowAnyException();
    }

    private static void check(WorkerConfig config) {
        LakeConfig lake =
                new SmallRyeConfigBuilder()
                        .withMapping(LakeConfig.class)
                        .withConverter(MemorySize.class, 100, new MemorySizeConverter())
                        .withConverter(Duration.class, 200, new DurationConverter())
                        .build()
                        .getConfigMapping(LakeConfig.class);
        ConfigCheck.check(config, lake);
    }

    private static WorkerConfig config(Map<String, String> properties) {
        Map<String, String> all = new HashMap<>(Map.of("directory", "/store"));
        all.putAll(properties);
        return mapping(all);
    }

    private static WorkerConfig mapping(Map<String, String> properties) {
        SmallRyeConfigBuilder builder =
                new SmallRyeConfigBuilder()
                        .withMapping(WorkerConfig.class)
                        .withConverter(MemorySize.class, 100, new MemorySizeConverter())
                        .withConverter(Duration.class, 200, new DurationConverter());
        properties.forEach(
                (name, value) -> builder.withDefaultValue("forebay.worker." + name, value));
        return builder.build().getConfigMapping(WorkerConfig.class);
    }
}
