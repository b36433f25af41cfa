package dev.forebay.operator;

import org.jspecify.annotations.Nullable;

/** A request to the control plane. Repeating one is harmless. */
public sealed interface PlanStep {

    /** Registers the dataset, or restores a deleted one. */
    record Register(DatasetSpec.Source source) implements PlanStep {}

    /** Changes the time to live of future versions. Null keeps the present value. */
    record SetTtl(@Nullable Long seconds, @Nullable String after) implements PlanStep {}

    /** Makes the dataset follow its source, or changes how. */
    record Follow(DatasetSpec.Tracking how) implements PlanStep {}

    /** Checks the source now. */
    record Check() implements PlanStep {}

    /** Stops following the source. */
    record Unfollow() implements PlanStep {}

    /** Deletes the dataset. */
    record Delete() implements PlanStep {}

    /** Releases a version in a region: its pin and its request. */
    record Release(String version, String region) implements PlanStep {}

    /**
     * Renews a pin.
     *
     * @param orAsk whether to request the version again if the pin has ended
     */
    record Renew(String version, String region, boolean orAsk) implements PlanStep {}

    /** Requests a version in a region, with a pin. */
    record Ask(String version, String region) implements PlanStep {}
}
