package dev.forebay.control.config;

import dev.forebay.settings.InRange;
import io.quarkus.runtime.configuration.MemorySize;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/** The settings of the control plane. */
@ConfigMapping(prefix = "forebay")
public interface ControlPlaneConfig {

    /** The regions of this installation, by name. */
    Map<String, Region> regions();

    /** Forebay's own bucket in the lake, for manifests. */
    Optional<String> manifestBucket();

    /** The default time to live of a version in a region after its last pin. */
    @WithDefault("7D")
    Duration defaultTtl();

    /** The settings of scheduled sweeps. */
    Sweep sweep();

    /** The settings of freezing versions. */
    Ingest ingest();

    /** The settings of following the lake. */
    Tracking tracking();

    /** The settings of stored requests and of timeouts. */
    Requests requests();

    /** The settings of following the progress of versions. */
    Progress progress();

    /** The settings of plans. */
    Plan plan();

    /** The settings of comparing versions. */
    Comparison comparison();

    /** The settings of fsck, which compares the stores with each other. */
    Fsck fsck();

    /** The settings of one region. */
    interface Region {

        /** The base address of the gateway of the region's agent. */
        URI agent();

        /**
         * Whether the region is an on-premises site. Bytes that other regions read from it have a
         * price of their own.
         */
        @WithDefault("false")
        boolean onPremises();

        /** The maximum number of GPUs that a job can get there, for placement advice. */
        @InRange(min = "0")
        OptionalInt gpus();
    }

    /** The settings of plans. */
    interface Plan {

        /** The maximum number of objects that a plan lists of a version that is not frozen yet. */
        @WithDefault("100000")
        @InRange(min = "1")
        int objects();

        /** The maximum number of such listings at once. */
        @WithDefault("4")
        @InRange(min = "1")
        int listings();

        /** The timeout of an agent's gateway for a survey of its region. */
        @WithDefault("30S")
        Duration agentTimeout();
    }

    /** The settings of comparing versions. */
    interface Comparison {

        /**
         * The number of paths that one page of a comparison covers. The next page continues after
         * them.
         */
        @WithDefault("200000")
        @InRange(min = "1")
        int objects();
    }

    /** The settings of fsck, which compares the stores with each other. */
    interface Fsck {

        /**
         * The time after which a page of findings ends. Repairs extend it by their own duration.
         */
        @WithDefault("10S")
        @InRange(min = "1ms")
        Duration page();

        /**
         * How long a difference must last to be a finding, because workflows update the catalogue a
         * moment later.
         */
        @WithDefault("2S")
        @InRange(min = "0s")
        Duration settle();
    }

    /** The settings of scheduled sweeps. */
    interface Sweep {

        /** The interval of sweeps in each region. */
        @WithDefault("5M")
        @InRange(min = "1s")
        Duration interval();

        /**
         * The fraction of a region's chunk store capacity above which a sweep evicts unpinned
         * copies.
         */
        @WithDefault("0.9")
        double highWatermark();

        /** The fraction of the capacity that such a sweep leaves in use. */
        @WithDefault("0.8")
        double lowWatermark();
    }

    /** The settings of freezing versions. */
    interface Ingest {

        /** How many versions this process freezes at once. */
        @WithDefault("4")
        @InRange(min = "1")
        int concurrency();

        /** How many pages of one listing are requested at once. */
        @WithDefault("16")
        @InRange(min = "1")
        int requests();

        /** The maximum size of a list of keys. */
        @WithDefault("2G")
        @InRange(min = "1")
        MemorySize keyList();

        /** The storage classes and tiers whose objects must be restored before they can be read. */
        @WithDefault("GLACIER,DEEP_ARCHIVE,ARCHIVE_ACCESS,DEEP_ARCHIVE_ACCESS")
        Optional<List<String>> archiveClasses();
    }

    /** The settings of following the lake. */
    interface Tracking {

        /** The default interval between checks of a dataset that follows its source. */
        @WithDefault("1H")
        @InRange(min = "10s", max = "30d")
        Duration interval();
    }

    /** The settings of following the progress of versions. */
    interface Progress {

        /** The maximum number of open progress streams. */
        @WithDefault("200")
        @InRange(min = "0")
        int streams();

        /** The interval at which the progress of a followed version is read. */
        @WithDefault("1S")
        @InRange(min = "100ms")
        Duration interval();
    }

    /** The settings of stored requests and of timeouts. */
    interface Requests {

        /** How long an idempotency key is remembered. */
        @WithDefault("30D")
        Duration retention();

        /** How long a request for an eviction waits before it is answered anyway. */
        @WithDefault("5M")
        Duration evictionWait();

        /** The timeout of an agent's gateway. */
        @WithDefault("3S")
        Duration agentTimeout();

        /** The timeout of the lake when a dataset's source is checked at its registration. */
        @WithDefault("5S")
        @InRange(min = "1ms")
        Duration lakeTimeout();
    }
}
