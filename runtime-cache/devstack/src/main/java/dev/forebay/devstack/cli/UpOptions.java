package dev.forebay.devstack.cli;

import dev.forebay.devstack.stack.StackConfig;
import dev.forebay.devstack.stack.StackPorts;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The options of a new stack. Each method checks its value by the rules of the programs that will
 * get it, so that the command starts nothing that one of them would refuse. A wrong value causes a
 * {@link ParameterException} with the option or variable, the value and the rule.
 */
final class UpOptions {
    private static final String PORT_BASE = "FOREBAY_PORT_BASE";
    private static final Pattern REGION = Pattern.compile("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?");
    private static final Pattern BUCKET = Pattern.compile("[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]");
    private static final Duration LEAST_SWEEP_INTERVAL = Duration.ofSeconds(1);
    private static final long LEAST_CAPACITY = 32L << 20;

    @Option(
            names = "--port-base",
            paramLabel = "PORT",
            description =
                    "first port to use (default: "
                            + PORT_BASE
                            + ", else that of the last start, else "
                            + StackPorts.DEFAULT_BASE
                            + ")")
    private @Nullable String portBase;

    @Option(
            names = "--region",
            paramLabel = "NAME",
            description =
                    "a region of the stack, can be repeated (default: ap-northeast-2, "
                            + "us-east-1)")
    private List<String> regions = StackConfig.REGIONS;

    @Option(
            names = "--workers",
            paramLabel = "N",
            defaultValue = "2",
            description = "workers per region, 1 to 6 (default: ${DEFAULT-VALUE})")
    private int workers;

    @Option(
            names = "--sweep-interval",
            paramLabel = "DURATION",
            defaultValue = "PT1M",
            description = "interval of eviction sweeps, in ISO 8601 (default: ${DEFAULT-VALUE})")
    private String sweepInterval = "";

    @Option(
            names = "--worker-capacity",
            paramLabel = "BYTES",
            defaultValue = "10737418240",
            description = "size of a worker's chunk store (default: ${DEFAULT-VALUE})")
    private long workerCapacity;

    @Option(
            names = "--manifest-bucket",
            paramLabel = "NAME",
            defaultValue = "${env:FOREBAY_MANIFEST_BUCKET:-forebay-manifests}",
            description =
                    "Forebay's own bucket in the lake (default: FOREBAY_MANIFEST_BUCKET, or else "
                            + "forebay-manifests)")
    private String manifestBucket = "";

    @SuppressWarnings("NullAway.Init") // picocli sets it
    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    String[] regions() {
        for (String region : regions) {
            require(
                    REGION.matcher(region).matches(),
                    "--region",
                    "'" + region + "'",
                    "it must be 1 to 63 characters of a-z 0-9 -, beginning and ending with a"
                            + " letter or a digit");
            require(
                    regions.indexOf(region) == regions.lastIndexOf(region),
                    "--region",
                    region + " more than once",
                    "each region must have a name of its own");
        }
        return regions.toArray(String[]::new);
    }

    int workers() {
        require(
                workers >= 1 && workers <= StackConfig.MOST_WORKERS,
                "--workers",
                workers,
                "it must be from 1 to " + StackConfig.MOST_WORKERS);
        return workers;
    }

    /**
     * @param before that of the stack's last start
     */
    int portBase(Map<String, String> environment, Optional<String> before) {
        String source = portBase != null ? "--port-base" : PORT_BASE;
        String given =
                Optional.ofNullable(portBase)
                        .or(() -> Optional.ofNullable(environment.get(PORT_BASE)))
                        .filter(text -> !text.isBlank())
                        .or(() -> before)
                        .orElse(Integer.toString(StackPorts.DEFAULT_BASE));
        int base = given.matches("[0-9]{1,9}") ? Integer.parseInt(given) : -1;
        int highest = StackPorts.highestBase(regions.size());
        require(
                base >= StackPorts.LOWEST_BASE && base <= highest,
                source,
                given,
                "with %d regions it must be a number from %d to %d"
                        .formatted(regions.size(), StackPorts.LOWEST_BASE, highest));
        return base;
    }

    Duration sweepInterval() {
        String rule = "it must be a duration of ISO 8601 of at least a second, such as PT30S";
        try {
            Duration interval = Duration.parse(sweepInterval);
            require(
                    interval.compareTo(LEAST_SWEEP_INTERVAL) >= 0,
                    "--sweep-interval",
                    sweepInterval,
                    rule);
            return interval;
        } catch (DateTimeParseException e) {
            throw wrong("--sweep-interval", sweepInterval, rule);
        }
    }

    long workerCapacity() {
        require(
                workerCapacity >= LEAST_CAPACITY,
                "--worker-capacity",
                workerCapacity,
                "it must be at least %d bytes, four chunks".formatted(LEAST_CAPACITY));
        return workerCapacity;
    }

    String manifestBucket() {
        require(
                BUCKET.matcher(manifestBucket).matches(),
                "--manifest-bucket",
                "'" + manifestBucket + "'",
                "it must be the name of a bucket: 3 to 63 characters of a-z 0-9 . -, beginning"
                        + " and ending with a letter or a digit");
        return manifestBucket;
    }

    private void require(boolean holds, String source, Object value, String rule) {
        if (!holds) {
            throw wrong(source, value, rule);
        }
    }

    private ParameterException wrong(String source, Object value, String rule) {
        return new ParameterException(
                spec.commandLine(), "%s is %s: %s".formatted(source, value, rule));
    }
}
