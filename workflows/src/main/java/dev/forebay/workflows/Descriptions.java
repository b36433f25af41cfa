package dev.forebay.workflows;

import dev.forebay.workflows.message.VersionInput;

/**
 * What whoever starts a version's workflow gives it for people: summary and details, in Markdown.
 */
public final class Descriptions {

    private Descriptions() {}

    /** For {@code WorkflowOptions.setStaticSummary}. */
    public static String summary(VersionInput input) {
        return "Dataset %s, version %s"
                .formatted(input.version().dataset(), input.version().version());
    }

    /** For {@code WorkflowOptions.setStaticDetails}. */
    public static String details(VersionInput input) {
        return ("The life of `%s` in every region, from `s3://%s/%s`.\n\n"
                        + "Its current details say what each region holds and who pins it; fillings and evictions"
                        + " are its child workflows.")
                .formatted(input.version(), input.bucket(), input.prefix());
    }
}
