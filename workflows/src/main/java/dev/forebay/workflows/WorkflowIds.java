package dev.forebay.workflows;

import dev.forebay.model.DatasetName;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.RegionName;

/**
 * The ids of workflows and schedules, made so that a person finds them in the Temporal UI by the
 * name of the dataset.
 */
public final class WorkflowIds {

    /** What the schedules of sweeps begin with. */
    public static final String SWEEPS = "eviction-sweep/";

    private WorkflowIds() {}

    public static String version(DatasetVersion version) {
        return "dataset/" + version;
    }

    public static String ingest(DatasetVersion version) {
        return version(version) + "/ingest";
    }

    /** The freezing of a version that somebody asked for, without a region. */
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
     * The schedule that evicts what has outlived its time to live in a region, and the prefix of
     * its workflows.
     */
    public static String sweep(RegionName region) {
        return SWEEPS + region;
    }

    /** The sweep that somebody asked for, beside those of the schedule. */
    public static String sweepNow(RegionName region) {
        return sweep(region) + "/now";
    }

    /** The schedule that looks for drift in a dataset's source, and the prefix of its workflows. */
    public static String driftCheck(DatasetName dataset) {
        return "drift-check/" + dataset;
    }
}
