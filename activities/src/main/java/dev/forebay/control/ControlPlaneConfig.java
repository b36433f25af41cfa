package dev.forebay.control;

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

    /** How long a version stays in a region after its last pin, if nobody says otherwise. */
    @WithDefault("7D")
    Duration defaultTtl();

    /** The scheduled eviction. */
    Sweep sweep();

    /** The freezing of versions. */
    Ingest ingest();

    /** Following the lake. */
    Tracking tracking();

    /** What is remembered of requests. */
    Requests requests();

    /** Following how far versions are. */
    Progress progress();

    /** What is looked at before something begins. */
    Plan plan();

    /** What is read of two versions to compare them. */
    Comparison comparison();

    /** What compares the stores with each other. */
    Fsck fsck();

    /** One region. */
    interface Region {

        /** The base address of the gateway of the region's agent. */
        URI agent();

        /** Whether the region is a site of one's own: what others take from it is priced so. */
        @WithDefault("false")
        boolean onPremises();

        /** How many GPUs a job can get there at most, for whoever asks where it would best run. */
        OptionalInt gpus();
    }

    /** What is looked at before something begins. */
    interface Plan {

        /** How many objects of a version that nobody asked for yet are listed for its plan. */
        @WithDefault("100000")
        int objects();

        /** How many such listings there may be at once. */
        @WithDefault("4")
        int listings();

        /** How long an agent's gateway may take to look at its region. */
        @WithDefault("30S")
        Duration agentTimeout();
    }

    /** What is read of two versions to compare them. */
    interface Comparison {

        /** How many paths one page of a comparison looks at; the next page goes on behind them. */
        @WithDefault("200000")
        int objects();
    }

    /** What compares the stores with each other. */
    interface Fsck {

        /** After how long a page of findings ends; it is as long again as its repairs take. */
        @WithDefault("10S")
        Duration page();

        /**
         * How long a difference must last: workflows tell the catalogue what they do a moment
         * later.
         */
        @WithDefault("2S")
        Duration settle();
    }

    /** The scheduled eviction. */
    interface Sweep {

        /** How often versions whose time has passed are looked for in each region. */
        @WithDefault("5M")
        Duration interval();

        /**
         * How full the chunk stores of a region may be, as a part of their capacity, before copies
         * that nobody holds have to go.
         */
        @WithDefault("0.9")
        double highWatermark();

        /** How full they are left then. */
        @WithDefault("0.8")
        double lowWatermark();
    }

    /** The freezing of versions. */
    interface Ingest {

        /** How many versions are frozen at once by this process. */
        @WithDefault("4")
        int concurrency();

        /** How many pages of one listing are asked for at once. */
        @WithDefault("16")
        int requests();

        /** How long a list of keys may be. */
        @WithDefault("2G")
        MemorySize keyList();

        /** Storage classes, and tiers, whose objects must be restored before they can be read. */
        @WithDefault("GLACIER,DEEP_ARCHIVE,ARCHIVE_ACCESS,DEEP_ARCHIVE_ACCESS")
        Optional<List<String>> archiveClasses();
    }

    /** Following the lake. */
    interface Tracking {

        /** How often a dataset that follows its source is checked, if nobody says otherwise. */
        @WithDefault("1H")
        Duration interval();
    }

    /** Following how far versions are. */
    interface Progress {

        /** How many streams of progress may be open at once. */
        @WithDefault("200")
        int streams();

        /** How often a version that is followed is looked at. */
        @WithDefault("1S")
        Duration interval();
    }

    /** What is remembered of requests, and how long they wait for others. */
    interface Requests {

        /** How long an idempotency key is remembered. */
        @WithDefault("30D")
        Duration retention();

        /** How long an eviction is waited for before its request is answered anyway. */
        @WithDefault("5M")
        Duration evictionWait();

        /** How long an agent's gateway may take to answer. */
        @WithDefault("3S")
        Duration agentTimeout();

        /** How long the lake may take to show a source that is to be registered. */
        @WithDefault("5S")
        Duration lakeTimeout();
    }
}
