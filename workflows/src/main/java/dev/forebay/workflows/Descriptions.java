package dev.forebay.workflows;

import dev.forebay.workflows.message.VersionInput;

/**
 * What whoever starts a version's workflow gives it for people: summary and details, in Markdown.
 */
public final class Descriptions {

    private Descriptions() {}

    /**
     * For {@code WorkflowOptions.setStaticSummary}. Names alone: Temporal says that a summary has
     * 400 bytes, and a source may be longer.
     */
    public static String summary(VersionInput input) {
        return "Dataset %s, version %s"
                .formatted(input.version().dataset(), input.version().version());
    }

    /** For {@code WorkflowOptions.setStaticDetails}. */
    public static String details(VersionInput input) {
        return ("The life of `%s` in every region, from `s3://%s/%s`.\n\n"
                        + "*Current Details* says what each region holds, who pins it, and why a region is blocked."
                        + " Fillings and evictions are its children: see *Relationships*.")
                .formatted(input.version(), input.bucket(), input.prefix());
    }
}
