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
 * What a stack consists of.
 *
 * @param data the directory below which everything is written
 * @param regions their names
 * @param workersPerRegion 1 to 6
 * @param ports where things listen
 * @param sweepInterval how often a region looks for versions to evict
 * @param workerCapacity the chunk store of a worker, in bytes
 * @param transports how the FUSE pod of a region speaks to the kernel, where it is not left to it
 * @param standby whether a second pod stands by in each region where a holder keeps the mount
 * @param workersSpeakTls whether workers have certificates, of an authority made up for the stack
 * @param tokenFile holds the token that Forebay's processes want of each request, and present
 * @param shortLived whether it is there for minutes only
 * @param training whether its programs record what to put into their AOT caches
 * @param buckets made in the lake if they are not there
 * @param manifestBucket Forebay's own bucket, made too
 * @param lakeAsSeen given the lake's address, the one that Forebay's processes use: a test puts a
 *     proxy between
 * @param properties further settings: {@code forebay.worker.*} of workers, others of agents and the
 *     control plane
 * @param kubeconfig the cluster that agents are to be in, if they are to be in one
 * @param clocks what our own processes take for the time of day
 * @param external servers that are there already
 * @param lifetime whether it outlives this JVM
 * @param progress told what happens
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
        External external,
        Launch.Lifetime lifetime,
        Consumer<String> progress) {
    /** The regions of a stack nobody said anything about. */
    public static final List<String> REGIONS = List.of("ap-northeast-2", "us-east-1");

    /** So many ports are there for the workers of a region. */
    public static final int MOST_WORKERS = 6;

    /** Settings are lines, and the programs replace expressions in them. */
    private static final Pattern UNREADABLE = Pattern.compile("\\p{Cntrl}|\\$\\{");

    public StackConfig {
        if (regions.isEmpty() || workersPerRegion < 1 || workersPerRegion > MOST_WORKERS) {
            throw new IllegalArgumentException("at least one region, 1 to 6 workers in each");
        }
        data = data.toAbsolutePath().normalize();
        if (UNREADABLE.matcher(data.toString()).find()) {
            throw new DevstackException(
                    "the data directory '%s' must have no control character and no '${' in its path: settings that name it would be read otherwise"
                            .formatted(data.toString().replaceAll("\\p{Cntrl}", "?")));
        }
        regions = List.copyOf(regions);
        transports = Map.copyOf(transports);
        buckets = List.copyOf(buckets);
        properties = Map.copyOf(properties);
    }

    /** A stack for a test: free ports, two regions with two workers, ended with this JVM. */
    public static Builder inDirectory(Path data) {
        return new Builder(data);
    }

    /** Collects what differs from the defaults. */
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
        private External external = External.NONE;
        private Launch.Lifetime lifetime = Launch.Lifetime.THIS_JVM;
        private Consumer<String> progress = line -> {};

        private Builder(Path data) {
            this.data = data;
        }

        /** Their names. */
        public Builder regions(String... names) {
            regions = List.of(names);
            return this;
        }

        /** How many workers a region has, 1 to 6. */
        public Builder workersPerRegion(int count) {
            workersPerRegion = count;
            return this;
        }

        /** Where things listen; free ports if not said. */
        public Builder ports(StackPorts chosen) {
            ports = chosen;
            return this;
        }

        /** How often a region looks for versions to evict; 5 s if not said. */
        public Builder sweepInterval(Duration interval) {
            sweepInterval = interval;
            return this;
        }

        /** The chunk store of a worker, in bytes; 10 GiB if not said. */
        public Builder workerCapacity(long bytes) {
            workerCapacity = bytes;
            return this;
        }

        /** How a region's FUSE pod speaks to the kernel; {@code auto} if not said. */
        public Builder transport(String region, String name) {
            transports.put(region, name);
            return this;
        }

        /** Has a second FUSE pod stand by in each region where a holder keeps the mount. */
        public Builder standby() {
            standby = true;
            return this;
        }

        /** Gives workers certificates, of an authority made up for the stack. */
        public Builder workersSpeakTls() {
            workersSpeakTls = true;
            return this;
        }

        /** Has Forebay's processes want the token in a file of each request, and present it. */
        public Builder tokenFile(Path file) {
            tokenFile = Optional.of(file.toAbsolutePath());
            return this;
        }

        /** It is there for minutes only: its processes start quickly and are never as fast. */
        public Builder shortLived() {
            shortLived = true;
            return this;
        }

        /** Has its programs record what to put into their AOT caches. */
        public Builder training() {
            training = true;
            return this;
        }

        /** Buckets to be made in the lake; {@code datasets} if not said. */
        public Builder buckets(String... names) {
            buckets = List.of(names);
            return this;
        }

        /** Forebay's own bucket. */
        public Builder manifestBucket(String name) {
            manifestBucket = name;
            return this;
        }

        /** Puts something between Forebay and the lake, given the lake's own address. */
        public Builder lakeAsSeen(UnaryOperator<URI> address) {
            lakeAsSeen = address;
            return this;
        }

        /** A further setting: of workers if {@code forebay.worker.*}, else of the other two. */
        public Builder property(String name, String value) {
            properties.put(name, value);
            return this;
        }

        /** With what agents find the cluster that they are to be in. */
        public Builder kubeconfig(Path file) {
            kubeconfig = Optional.of(file);
            return this;
        }

        /** What our own processes take for the time of day; that of this machine if not said. */
        public Builder clocks(Clocks chosen) {
            clocks = chosen;
            return this;
        }

        /** Servers that are there already and are not started. */
        public Builder external(External servers) {
            external = servers;
            return this;
        }

        /** Whether it outlives this JVM. */
        public Builder lifetime(Launch.Lifetime chosen) {
            lifetime = chosen;
            return this;
        }

        /** Told what happens. */
        public Builder progress(Consumer<String> listener) {
            progress = listener;
            return this;
        }

        /** The configuration. */
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
