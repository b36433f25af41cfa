package dev.forebay.control.eviction;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.message.Victim;
import java.time.Duration;
import java.util.List;

/**
 * The decisions of a sweep.
 *
 * @param victims in the order of their eviction
 * @param reads copies that stay because they were read recently
 * @param notes what could not be decided, for users
 */
public record SweepPlan(
        RegionName region, List<Victim> victims, List<Read> reads, List<String> notes) {

    /** A version and the time since its last read. */
    public record Read(DatasetVersion version, Duration ago) {}
}
