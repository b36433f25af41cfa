package dev.forebay.workflows;

import dev.forebay.model.DatasetVersion;

/**
 * The summary and details, in Markdown, that a version's workflow shows to people. The process that
 * starts the workflow sets them.
 */
public final class Descriptions {

    private Descriptions() {}

    /**
     * Returns the text for {@code WorkflowOptions.setStaticSummary}. It has names only: Temporal
     * limits a summary to 400 bytes, and a source may be longer.
     */
    public static String summary(DatasetVersion version) {
        return "Dataset %s, version %s".formatted(version.dataset(), version.version());
    }

    /**
     * Returns the text for {@code WorkflowOptions.setStaticDetails}.
     *
     * @param bucket the lake bucket of the originals
     * @param prefix their key prefix; ends with {@code /} or is empty
     */
    public static String details(DatasetVersion version, String bucket, String prefix) {
        return ("Manages `%s` in all regions, from `s3://%s/%s`.\n\n*Current Details* shows what "
                        + "each region holds, its pins, and why it is blocked. Fills and evictions are "
                        + "child workflows: see *Relationships*.")
                .formatted(version, bucket, prefix);
    }
}
