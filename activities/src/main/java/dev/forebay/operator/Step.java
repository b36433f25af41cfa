package dev.forebay.operator;

import org.jspecify.annotations.Nullable;

/** One thing to ask the control plane for. Each may be asked for again without harm. */
sealed interface Step {

    /** To register the dataset, or have a deleted one back. */
    record Register(DatasetSpec.Source source) implements Step {}

    /** To give versions that are made from now on another time to live; null for what it is. */
    record SetTtl(@Nullable Long seconds, @Nullable String after) implements Step {}

    /** To have it follow its source, in another way than it does. */
    record Follow(DatasetSpec.Tracking how) implements Step {}

    /** To have its source looked at now. */
    record Check() implements Step {}

    /** To have it follow its source no more. */
    record Unfollow() implements Step {}

    /** To delete the dataset. */
    record Delete() implements Step {}

    /** To let a version go in a region: the pin, and what was asked for. */
    record Release(String version, String region) implements Step {}

    /**
     * To have a pin live on.
     *
     * @param orAsk whether it is asked for anew if it has ended
     */
    record Renew(String version, String region, boolean orAsk) implements Step {}

    /** To have a version brought to a region and pinned there. */
    record Ask(String version, String region) implements Step {}
}
