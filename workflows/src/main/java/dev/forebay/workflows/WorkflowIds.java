package dev.forebay.workflows;

import dev.forebay.model.DatasetName;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.RegionName;

/**
 * The ids of workflows and Schedules. They contain the name of the dataset, so that people find
 * them in the Temporal UI.
 */
public final class WorkflowIds {

    /** The prefix of the ids of sweep Schedules. */
    public static final String SWEEPS = "eviction-sweep/";

    private WorkflowIds() {}

    public static String version(DatasetVersion version) {
        return "dataset/" + version;
    }

    public static String ingest(DatasetVersion version) {
        return version(version) + "/ingest";
    }

    /** Returns the id of an ingest that a client requested without a region. */
    public static String freeze(DatasetVersion version) {
        return version(version) + "/freeze";
    }

    public static String prewarm(DatasetVersion version, RegionName region) {
        return version(version) + "/prewarm/" + region;
    }

    public static String evict(DatasetVersion version, RegionName region) {
        return version(version) + "/evict/" + region;
    }

    /**
     * Returns the id of the Schedule of a region's sweeps, which is also the prefix of their
     * workflow ids.
     */
    public static String sweep(RegionName region) {
        return SWEEPS + region;
    }

    /** Returns the id of a sweep that an operator requested, beside those of the Schedule. */
    public static String sweepNow(RegionName region) {
        return sweep(region) + "/now";
    }

    /**
     * Returns the id of the Schedule of a dataset's drift checks, which is also the prefix of their
     * workflow ids.
     */
    public static String driftCheck(DatasetName dataset) {
        return "drift-check/" + dataset;
    }
}
