package dev.forebay.devstack.stack;

import dev.forebay.devstack.DevstackException;
import dev.forebay.devstack.server.Launch;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/**
 * The parts of a stack and their settings.
 *
 * @param data the directory for all data
 * @param regions their names
 * @param workersPerRegion 1 to 6
 * @param ports where servers listen
 * @param sweepInterval the time between two searches of a region for versions to evict
 * @param workerCapacity the chunk store of a worker, in bytes
 * @param transports the FUSE transports of regions whose pod must not choose it
 * @param standby whether a second pod stands by in each region where a holder keeps the mount
 * @param workersSpeakTls whether workers have certificates, of an authority created for the stack
 * @param tokenFile holds the token that Forebay's processes require in each request, and present
 * @param shortLived whether the stack runs for minutes only
 * @param training whether its programs record what to put into their AOT caches
 * @param buckets created in the lake if they do not exist
 * @param manifestBucket Forebay's own bucket, also created
 * @param lakeAsSeen returns the lake's address for Forebay's processes: a test inserts a proxy
 * @param properties further settings: {@code forebay.worker.*} of workers, others of agents and the
 *     control plane
 * @param kubeconfig the cluster of the agents, if they run in one
 * @param clocks the wrong clocks of Forebay's processes
 * @param external servers that the user already has
 * @param lifetime whether the stack outlives this JVM
 * @param progress receives a line for each step
 */
public record StackConfig(
        Path data,
        List<String> regions,
        int workersPerRegion,
        StackPorts ports,
        Duration sweepInterval,
        long workerCapacity,
        Map<String, String> transports,
        boolean standby,
        boolean workersSpeakTls,
        Optional<Path> tokenFile,
        boolean shortLived,
        boolean training,
        List<String> buckets,
        String manifestBucket,
        UnaryOperator<URI> lakeAsSeen,
        Map<String, String> properties,
        Optional<Path> kubeconfig,
        Clocks clocks,
        ExternalServers external,
        Launch.Lifetime lifetime,
        Consumer<String> progress) {
    /** The regions of a stack unless the user names others. */
    public static final List<String> REGIONS = List.of("ap-northeast-2", "us-east-1");

    /** The number of ports for the workers of a region. */
    public static final int MOST_WORKERS = 6;

    /**
     * Text that a settings file cannot carry: settings are lines, and the programs expand
     * expressions.
     */
    private static final Pattern UNREADABLE = Pattern.compile("\\p{Cntrl}|\\$\\{");

    public StackConfig {
        if (regions.isEmpty() || workersPerRegion < 1 || workersPerRegion > MOST_WORKERS) {
            throw new IllegalArgumentException("at least one region, 1 to 6 workers in each");
        }
        data = data.toAbsolutePath().normalize();
        if (UNREADABLE.matcher(data.toString()).find()) {
            throw new DevstackException(
                    "the data directory '%s' must have no control character and no '${' in its path: settings that contain it would be expanded"
                            .formatted(data.toString().replaceAll("\\p{Cntrl}", "?")));
        }
        regions = List.copyOf(regions);
        transports = Map.copyOf(transports);
        buckets = List.copyOf(buckets);
        properties = Map.copyOf(properties);
    }

    /**
     * Returns a builder for a stack of a test: free ports, two regions with two workers, ends with
     * this JVM.
     */
    public static Builder inDirectory(Path data) {
        return new Builder(data);
    }

    /** Collects the settings that differ from the defaults. */
    public static final class Builder {
        private final Path data;
        private List<String> regions = REGIONS;
        private int workersPerRegion = 2;
        private StackPorts ports = StackPorts.free();
        private Duration sweepInterval = Duration.ofSeconds(5);
        private long workerCapacity = 10L << 30;
        private final Map<String, String> transports = new LinkedHashMap<>();
        private boolean standby;
        private boolean workersSpeakTls;
        private Optional<Path> tokenFile = Optional.empty();
        private boolean shortLived;
        private boolean training;
        private List<String> buckets = List.of("datasets");
        private String manifestBucket = "forebay-manifests";
        private UnaryOperator<URI> lakeAsSeen = UnaryOperator.identity();
        private final Map<String, String> properties = new LinkedHashMap<>();
        private Optional<Path> kubeconfig = Optional.empty();
        private Clocks clocks = Clocks.RIGHT;
        private ExternalServers external = ExternalServers.NONE;
        private Launch.Lifetime lifetime = Launch.Lifetime.THIS_JVM;
        private Consumer<String> progress = line -> {};

        private Builder(Path data) {
            this.data = data;
        }

        /** Sets the names of the regions. */
        public Builder regions(String... names) {
            regions = List.of(names);
            return this;
        }

        /** Sets the number of workers of a region, 1 to 6. */
        public Builder workersPerRegion(int count) {
            workersPerRegion = count;
            return this;
        }

        /** Sets the ports. The default is free ports. */
        public Builder ports(StackPorts chosen) {
            ports = chosen;
            return this;
        }

        /**
         * Sets the time between two searches of a region for versions to evict. The default is 5 s.
         */
        public Builder sweepInterval(Duration interval) {
            sweepInterval = interval;
            return this;
        }

        /** Sets the chunk store of a worker, in bytes. The default is 10 GiB. */
        public Builder workerCapacity(long bytes) {
            workerCapacity = bytes;
            return this;
        }

        /** Sets the transport of a region's FUSE pod. The default is {@code auto}. */
        public Builder transport(String region, String name) {
            transports.put(region, name);
            return this;
        }

        /** Starts a second FUSE pod as standby in each region where a holder keeps the mount. */
        public Builder standby() {
            standby = true;
            return this;
        }

        /** Gives workers certificates, of an authority created for the stack. */
        public Builder workersSpeakTls() {
            workersSpeakTls = true;
            return this;
        }

        /**
         * Makes Forebay's processes require the token in this file in each request, and present it.
         */
        public Builder tokenFile(Path file) {
            tokenFile = Optional.of(file.toAbsolutePath());
            return this;
        }

        /**
         * Optimises for a stack that runs for minutes only: its processes start quickly and stay
         * slower.
         */
        public Builder shortLived() {
            shortLived = true;
            return this;
        }

        /** Makes the programs record what to put into their AOT caches. */
        public Builder training() {
            training = true;
            return this;
        }

        /** Sets the buckets to create in the lake. The default is {@code datasets}. */
        public Builder buckets(String... names) {
            buckets = List.of(names);
            return this;
        }

        /** Sets Forebay's own bucket. */
        public Builder manifestBucket(String name) {
            manifestBucket = name;
            return this;
        }

        /** Sets the function that returns the lake's address for Forebay from its own address. */
        public Builder lakeAsSeen(UnaryOperator<URI> address) {
            lakeAsSeen = address;
            return this;
        }

        /**
         * Adds a setting: {@code forebay.worker.*} of workers, others of agents and the control
         * plane.
         */
        public Builder property(String name, String value) {
            properties.put(name, value);
            return this;
        }

        /** Sets the kubeconfig of the cluster in which the agents run. */
        public Builder kubeconfig(Path file) {
            kubeconfig = Optional.of(file);
            return this;
        }

        /** Sets the clocks of Forebay's processes. The default is that of this machine. */
        public Builder clocks(Clocks chosen) {
            clocks = chosen;
            return this;
        }

        /** Sets the servers that the user already has and the stack does not start. */
        public Builder external(ExternalServers servers) {
            external = servers;
            return this;
        }

        /** Sets whether the stack outlives this JVM. */
        public Builder lifetime(Launch.Lifetime chosen) {
            lifetime = chosen;
            return this;
        }

        /** Sets the receiver of a line for each step. */
        public Builder progress(Consumer<String> listener) {
            progress = listener;
            return this;
        }

        /** Returns the configuration. */
        public StackConfig build() {
            return new StackConfig(
                    data,
                    regions,
                    workersPerRegion,
                    ports,
                    sweepInterval,
                    workerCapacity,
                    transports,
                    standby,
                    workersSpeakTls,
                    tokenFile,
                    shortLived,
                    training,
                    buckets,
                    manifestBucket,
                    lakeAsSeen,
                    properties,
                    kubeconfig,
                    clocks,
                    external,
                    lifetime,
                    progress);
        }
    }
}
