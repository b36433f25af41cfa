package dev.forebay.worker;

import dev.forebay.settings.InRange;
import dev.forebay.tls.KeyFiles;
import io.quarkus.runtime.configuration.MemorySize;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import io.smallrye.config.WithName;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Settings of a worker, below {@code forebay.worker}. */
@ConfigMapping(prefix = "forebay.worker")
public interface WorkerConfig {

    /**
     * Directories for chunks, one per disk. Created if absent. The first one also holds the
     * worker's id, manifests and images. Each directory belongs to one worker.
     */
    @WithName("directory")
    List<Path> directories();

    /** Returns the first directory. */
    default Path home() {
        return directories().getFirst();
    }

    /**
     * The space for chunks on all disks together, as a number of bytes or with a unit ({@code
     * 10G}). At least four chunks, 32M, per directory. It is also the worker's weight in placement.
     */
    @WithDefault("10G")
    @InRange(min = "32M", max = ConfigCheck.MOST_BYTES)
    MemorySize capacity();

    /** The number of chunk files on all disks together. Bounds inodes and memory. */
    @WithDefault("5000000")
    @InRange(min = "4", max = ConfigCheck.MOST)
    long files();

    /**
     * The base URI at which clients reach this worker. Default: {@code
     * http://<quarkus.http.host>:<port>}, or {@code https} with a certificate.
     */
    Optional<URI> advertisedAddress();

    /** The use of each disk. */
    Disk disk();

    /** Fills of missing chunks. */
    Fill fill();

    /** Reads from other workers, before the lake. */
    Peers peers();

    /** Reads from sibling regions, before the lake. */
    Siblings siblings();

    /** Bounds of concurrent requests. */
    Requests requests();

    /** Verification of stored bytes. */
    Scrub scrub();

    /** Removal of chunks that no mounted version needs. */
    Orphans orphans();

    /** Accounting of the cost of versions. */
    Accounts accounts();

    /** Handover of chunks by a worker that leaves for good. */
    Drain drain();

    /** The cache of manifests. */
    Manifests manifests();

    /** Images of mounted versions. */
    Images images();

    /** TLS of this worker's listener. */
    Tls tls();

    /** The use of each disk. */
    interface Disk {
        /** The number of concurrent reads and writes. Each has a thread. */
        @WithDefault("32")
        @InRange(min = "1", max = ConfigCheck.MOST_AT_ONCE)
        int calls();

        /**
         * The timeout of one read or write, of at most a chunk. A disk that exceeds it is not used
         * until it has answered all its calls.
         */
        @WithDefault("15s")
        @InRange(min = "1ms", max = ConfigCheck.LONGEST)
        Duration timeout();
    }

    /** Fills of missing chunks. */
    interface Fill {
        /**
         * The number of concurrent fills, and a quarter as many again for chunks that another
         * worker owns. Each takes a buffer of 8 MiB outside the heap.
         */
        @WithDefault("8")
        @InRange(min = "1", max = ConfigCheck.MOST_AT_ONCE)
        int concurrency();

        /** The number of fills that may wait. Further fills fail with UNAVAILABLE. */
        @WithDefault("2048")
        @InRange(min = "1", max = ConfigCheck.MOST)
        int queue();

        /** The number of concurrent requests to the lake. */
        @WithDefault("64")
        @InRange(min = "1", max = ConfigCheck.MOST_AT_ONCE)
        int lakeRequests();

        /** The number of concurrent lake requests for one chunk. */
        @WithDefault("16")
        @InRange(min = "1", max = ConfigCheck.MOST_AT_ONCE)
        int lakeRequestsPerChunk();

        /** The number of chunks to fill ahead in a file after a read that missed. 0 disables it. */
        @WithDefault("16")
        @InRange(min = "0", max = ConfigCheck.MOST_AT_ONCE)
        int ahead();

        /** The longest wait of a request for a fill. Then it fails with UNAVAILABLE. */
        @WithDefault("5m")
        @InRange(min = "1ms", max = ConfigCheck.LONGEST)
        Duration timeout();

        /** The time before readers can request an object again that changed in the lake. */
        @WithDefault("30s")
        @InRange(min = "0s", max = ConfigCheck.LONGEST)
        Duration changedMemory();

        /** The number of changed objects to remember. */
        @WithDefault("10000")
        @InRange(min = "1", max = ConfigCheck.MOST)
        int changedMemoryObjects();
    }

    /** Reads from other workers, before the lake. */
    interface Peers {
        /**
         * The number of other workers to ask for a chunk, in the order of its ranking. 0 disables
         * it. This many workers can join at once without a chunk being fetched from the lake again.
         */
        @WithDefault("16")
        @InRange(min = "0", max = ConfigCheck.MOST_AT_ONCE)
        int attempts();

        /**
         * The timeout of one answer. Must be less than a reader's timeout: a reader that comes here
         * because the owner hangs must not wait for the owner again.
         */
        @WithDefault("2s")
        @InRange(min = "1ms", max = ConfigCheck.LONGEST_READ)
        Duration timeout();

        /** The timeout for the first byte, which needs only the disk of the other worker. */
        @WithDefault("500ms")
        @InRange(min = "1ms", max = ConfigCheck.LONGEST_READ)
        Duration firstByte();

        /** The time for which a worker that did not answer is skipped. */
        @WithDefault("10s")
        @InRange(min = "0s", max = ConfigCheck.LONGEST)
        Duration backOff();
    }

    /** Reads from sibling regions, before the lake, for versions that are filled from there. */
    interface Siblings {
        /** The number of chunks in transfer from sibling regions at once. */
        @WithDefault("4")
        @InRange(min = "1", max = ConfigCheck.MOST_AT_ONCE)
        int concurrency();

        /** The timeout for one chunk. Then the lake is asked. */
        @WithDefault("6s")
        @InRange(min = "1ms", max = ConfigCheck.LONGEST_READ)
        Duration timeout();

        /**
         * The timeout for the first byte. Must be more than {@code forebay.gateway.queue-timeout}
         * of the sibling, which may queue the request.
         */
        @WithDefault("3s")
        @InRange(min = "1ms", max = ConfigCheck.LONGEST_READ)
        Duration firstByte();

        /** The time for which a region that did not answer, or sent wrong bytes, is skipped. */
        @WithDefault("30s")
        @InRange(min = "0s", max = ConfigCheck.LONGEST)
        Duration backOff();
    }

    /** Bounds of concurrent requests. */
    interface Requests {
        /**
         * The number of concurrent reads of present bytes, and accounts. The same number again
         * applies to each of: reads that fetch, manifests and images, coverage and usage.
         */
        @WithDefault("256")
        @InRange(min = "1", max = ConfigCheck.MOST_AT_ONCE)
        int concurrency();

        /**
         * The number of concurrent prewarming fills, verifications and drops. The same number again
         * applies to status and drain.
         */
        @WithDefault("64")
        @InRange(min = "1", max = ConfigCheck.MOST_AT_ONCE)
        int fillConcurrency();

        /** The number of further requests of each kind that may wait. Others get 503. */
        @WithDefault("1024")
        @InRange(min = "0", max = ConfigCheck.MOST)
        int queue();

        /** The {@code Retry-After} of such a 503, in whole seconds. */
        @WithDefault("1s")
        @InRange(min = "1ms", max = ConfigCheck.LONGEST)
        Duration retryAfter();
    }

    /** Verification of stored bytes. */
    interface Scrub {
        /** The scrub rate in bytes per second. 0 disables it. */
        @WithDefault("4M")
        @InRange(min = "0", max = ConfigCheck.MOST_BYTES)
        MemorySize bytesPerSecond();

        /** The pause between two rounds through the store. */
        @WithDefault("1h")
        @InRange(min = "1ms", max = ConfigCheck.LONGEST)
        Duration pause();
    }

    /** Removal of chunks that no mounted version needs. */
    interface Orphans {
        /** The time between two scans. A chunk is removed by the second scan that finds it. */
        @WithDefault("6h")
        @InRange(min = "1ms", max = ConfigCheck.LONGEST)
        Duration interval();

        /**
         * The rate of removal in bytes per second. With 0, such chunks stay until their space is
         * needed.
         */
        @WithDefault("1G")
        @InRange(min = "0", max = ConfigCheck.MOST_BYTES)
        MemorySize bytesPerSecond();
    }

    /** Accounting of the cost of versions. */
    interface Accounts {
        /** The interval at which held and sent bytes are added up. */
        @WithDefault("10s")
        @InRange(min = "1ms", max = ConfigCheck.LONGEST)
        Duration interval();
    }

    /** Handover of chunks by a worker that leaves for good. */
    interface Drain {
        /** The timeout of a drain. Remaining chunks are fetched from the lake again. */
        @WithDefault("30m")
        @InRange(min = "1ms", max = ConfigCheck.LONGEST)
        Duration timeout();

        /** The rate of the handover in bytes per second. */
        @WithDefault("200M")
        @InRange(min = "1", max = ConfigCheck.MOST_BYTES)
        MemorySize bytesPerSecond();

        /**
         * The time for which a stopping worker hands over chunks first. With 0 it does not, and
         * keeps its chunks for its return.
         */
        @WithDefault("0s")
        @InRange(min = "0s", max = ConfigCheck.LONGEST)
        Duration onStop();
    }

    /** The cache of manifests. */
    interface Manifests {
        /** The number of manifests to keep open between requests. */
        @WithDefault("64")
        @InRange(min = "1", max = ConfigCheck.MOST)
        int open();

        /** The disk space for copies of manifests, in addition to the chunks. */
        @WithDefault("2G")
        @InRange(min = "1", max = ConfigCheck.MOST_BYTES)
        MemorySize capacity();
    }

    /** Images of mounted versions. */
    interface Images {
        /** The disk space for images, in addition to the chunks. */
        @WithDefault("4G")
        @InRange(min = "1", max = ConfigCheck.MOST_BYTES)
        MemorySize capacity();
    }

    /** TLS of this worker's listener. */
    interface Tls {
        /**
         * A PEM file with this worker's certificate and the intermediate ones. The certificate must
         * be valid for the name or address at which clients reach the worker. With it the worker
         * accepts only TLS 1.3, without it plain HTTP.
         */
        Optional<Path> certificate();

        /** A PEM file with the certificate's private key. */
        Optional<Path> key();

        /** Returns both files, if they are set. */
        default Optional<KeyFiles> files() {
            return certificate()
                    .flatMap(
                            those ->
                                    key().map(
                                                    its ->
                                                            new KeyFiles(
                                                                    "forebay.worker.tls.",
                                                                    those,
                                                                    its)));
        }
    }
}
