package dev.forebay.workflows;

import dev.forebay.workflows.input.VersionInput;

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
    public static String summary(VersionInput input) {
        return "Dataset %s, version %s"
                .formatted(input.version().dataset(), input.version().version());
    }

    /** Returns the text for {@code WorkflowOptions.setStaticDetails}. */
    public static String details(VersionInput input) {
        return ("The life of `%s` in every region, from `s3://%s/%s`.\n\n"
                        + "*Current Details* says what each region holds, who pins it, and why a region is blocked."
                        + " Fillings and evictions are its children: see *Relationships*.")
                .formatted(input.version(), input.bucket(), input.prefix());
    }
}
