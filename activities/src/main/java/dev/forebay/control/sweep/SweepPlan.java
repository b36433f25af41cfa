package dev.forebay.control.sweep;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.message.Victim;
import java.time.Duration;
import java.util.List;

/**
 * What a sweep would do.
 *
 * @param victims in the order in which they go
 * @param reads copies whose time would have passed, had nobody read them
 * @param notes what could not be decided, for people
 */
public record SweepPlan(
        RegionName region, List<Victim> victims, List<Read> reads, List<String> notes) {

    /** A version that was read so long ago. */
    public record Read(DatasetVersion version, Duration ago) {}
}
