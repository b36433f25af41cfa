package dev.forebay.operator;

import org.jspecify.annotations.Nullable;

/** A request to the control plane. Repeating one is harmless. */
public sealed interface Step {

    /** Registers the dataset, or restores a deleted one. */
    record Register(DatasetSpec.Source source) implements Step {}

    /** Changes the time to live of future versions. Null keeps the present value. */
    record SetTtl(@Nullable Long seconds, @Nullable String after) implements Step {}

    /** Makes the dataset follow its source, or changes how. */
    record Follow(DatasetSpec.Tracking how) implements Step {}

    /** Checks the source now. */
    record Check() implements Step {}

    /** Stops following the source. */
    record Unfollow() implements Step {}

    /** Deletes the dataset. */
    record Delete() implements Step {}

    /** Releases a version in a region: its pin and its request. */
    record Release(String version, String region) implements Step {}

    /**
     * Renews a pin.
     *
     * @param orAsk whether to request the version again if the pin has ended
     */
    record Renew(String version, String region, boolean orAsk) implements Step {}

    /** Requests a version in a region, with a pin. */
    record Ask(String version, String region) implements Step {}
}
