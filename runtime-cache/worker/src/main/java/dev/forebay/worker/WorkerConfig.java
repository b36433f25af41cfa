package dev.forebay.worker;

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

/** What can be set on a worker, below {@code forebay.worker}. */
@ConfigMapping(prefix = "forebay.worker")
public interface WorkerConfig {

    /**
     * Where chunks are kept, one directory for each disk; made if they are not there. The first
     * also has the worker's id, manifests and images. One worker per directory.
     */
    @WithName("directory")
    List<Path> directories();

    /** The first directory. */
    default Path home() {
        return directories().getFirst();
    }

    /**
     * How many bytes the chunks may take on all disks together, as a number or with a unit ({@code
     * 10G}); at least four chunks, 32M, for each. Also the worker's weight in placement.
     */
    @WithDefault("10G")
    MemorySize capacity();

    /** How many files the chunks may be on all disks together: bounds inodes and memory. */
    @WithDefault("5000000")
    long files();

    /**
     * The base URI under which others reach this worker; {@code http://<quarkus.http.host>:<port>}
     * if not set, or {@code https}.
     */
    Optional<URI> advertisedAddress();

    /** How each disk is used. */
    Disk disk();

    /** How missing chunks are fetched. */
    Fill fill();

    /** How other workers are asked before the lake is. */
    Peers peers();

    /** How other regions are asked before the lake is. */
    Siblings siblings();

    /** How many requests are worked on at once. */
    Requests requests();

    /** How the bytes at rest are checked. */
    Scrub scrub();

    /** How chunks go that no mounted version refers to. */
    Orphans orphans();

    /** What copies of versions cost. */
    Accounts accounts();

    /** How chunks are handed over by a worker that leaves for good. */
    Drain drain();

    /** Manifests at hand. */
    Manifests manifests();

    /** Images of mounted versions. */
    Images images();

    /** The encryption of what this worker sends and is sent. */
    Tls tls();

    /** How each disk is used. */
    interface Disk {
        /** How many reads and writes may be in it at once; each has a thread. */
        @WithDefault("32")
        int calls();

        /** How long it may take over one, a chunk at most, before it is left alone. */
        @WithDefault("15s")
        Duration patience();
    }

    /** How missing chunks are fetched. */
    interface Fill {
        /**
         * How many chunks are filled at once, and a quarter as many of which another worker is the
         * owner; each takes a buffer of 8 MiB outside the heap.
         */
        @WithDefault("8")
        int concurrency();

        /** How many fills may wait for their turn; more are refused with UNAVAILABLE. */
        @WithDefault("2048")
        int queue();

        /** How many requests to the lake may be on their way at once. */
        @WithDefault("64")
        int lakeRequests();

        /** How many of them one chunk may have on their way. */
        @WithDefault("16")
        int lakeRequestsPerChunk();

        /**
         * How many chunks of a file are brought behind the one of which somebody reads what is not
         * here; 0 brings none.
         */
        @WithDefault("16")
        int ahead();

        /** How long a request waits for a fill before it is refused with UNAVAILABLE. */
        @WithDefault("5m")
        Duration timeout();

        /** How long an object that changed in the lake is not asked for again. */
        @WithDefault("30s")
        Duration changedMemory();

        /** How many changed objects are remembered. */
        @WithDefault("10000")
        int changedMemoryObjects();
    }

    /** How other workers are asked before the lake is. */
    interface Peers {
        /**
         * How many other workers are asked for a chunk, those first that would own it if those
         * before were not there; 0 asks none. As many can join at once without a chunk being
         * fetched again.
         */
        @WithDefault("16")
        int attempts();

        /**
         * How long one may take to answer. Less than a reader's patience: who comes here because
         * the owner hangs must not wait for the owner once more.
         */
        @WithDefault("2s")
        Duration timeout();

        /** How long one may take to begin its answer, which needs nothing but its disk. */
        @WithDefault("500ms")
        Duration firstByte();

        /** How long one that did not answer is left alone. */
        @WithDefault("10s")
        Duration backOff();
    }

    /** How other regions are asked before the lake is, for versions that are filled from there. */
    interface Siblings {
        /** How many chunks may be on their way from other regions at once. */
        @WithDefault("4")
        int concurrency();

        /** How long one may take to give a chunk before the lake is asked. */
        @WithDefault("6s")
        Duration timeout();

        /**
         * How long one may take to begin its answer; more than its {@code
         * forebay.gateway.patience}, for it may have others to answer first.
         */
        @WithDefault("3s")
        Duration firstByte();

        /** How long one that did not answer, or sent something wrong, is left alone. */
        @WithDefault("30s")
        Duration backOff();
    }

    /** How many requests are worked on at once. */
    interface Requests {
        /** How many reads of what is here, and queries; and as many again reads that fetch. */
        @WithDefault("256")
        int concurrency();

        /** How many prewarming fills, verifications and drops. */
        @WithDefault("64")
        int fillConcurrency();

        /** How many more of each kind may wait; further ones are refused with 503. */
        @WithDefault("1024")
        int queue();

        /** What {@code Retry-After} says then. */
        @WithDefault("1s")
        Duration retryAfter();
    }

    /** How the bytes at rest are checked. */
    interface Scrub {
        /** How many bytes are read in a second; 0 switches scrubbing off. */
        @WithDefault("4M")
        MemorySize bytesPerSecond();

        /** How long to wait between two rounds through the store. */
        @WithDefault("1h")
        Duration pause();
    }

    /** How chunks go that no mounted version refers to. */
    interface Orphans {
        /** How often to look for them; they go at the second look that finds them. */
        @WithDefault("6h")
        Duration interval();

        /** How many bytes of them are removed in a second; 0 leaves them until room is needed. */
        @WithDefault("1G")
        MemorySize bytesPerSecond();
    }

    /** What copies of versions cost. */
    interface Accounts {
        /** How often what the disks hold, and what readers were sent, is added up. */
        @WithDefault("10s")
        Duration interval();
    }

    /** How chunks are handed over by a worker that leaves for good. */
    interface Drain {
        /** How long it may take; what is left then is fetched from the lake again. */
        @WithDefault("30m")
        Duration timeout();

        /** How many bytes are handed over in a second. */
        @WithDefault("200M")
        MemorySize bytesPerSecond();

        /**
         * How long a worker that is told to stop hands over first; with 0 it does not, and comes
         * back to its chunks.
         */
        @WithDefault("0s")
        Duration onStop();
    }

    /** Manifests at hand. */
    interface Manifests {
        /** How many are kept open between requests. */
        @WithDefault("64")
        int open();

        /** How many bytes their local copies may take on disk, besides the chunks. */
        @WithDefault("2G")
        MemorySize capacity();
    }

    /** Images of mounted versions. */
    interface Images {
        /** How many bytes they may take on disk, besides the chunks. */
        @WithDefault("4G")
        MemorySize capacity();
    }

    /** The encryption of what this worker sends and is sent. */
    interface Tls {
        /**
         * A file with this worker's certificate in PEM, for the name or address under which others
         * reach it, and those between it and the authority. With it the worker speaks TLS 1.3 only;
         * without it plain HTTP.
         */
        Optional<Path> certificate();

        /** A file with the certificate's private key in PEM. */
        Optional<Path> key();

        /** Both, if they are set. */
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
