package dev.forebay.membership.rows;

import dev.forebay.membership.Mount;
import dev.forebay.membership.Pin;
import dev.forebay.membership.QueuedVersion;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Sibling;
import dev.forebay.placement.WorkerNode;
import java.util.List;

/** The parsed content of one key of a region. */
public sealed interface Row {

    record Worker(WorkerNode node) implements Row {}

    record Live(String workerId) implements Row {}

    record Departed(WorkerNode node) implements Row {}

    record Mounted(Mount mount) implements Row {}

    record Pinned(Pin pin) implements Row {}

    record Waiting(QueuedVersion queued) implements Row {}

    /** Has no content: only its revision matters. */
    record Gate() implements Row {}

    record Replicated(DatasetVersion version, int replicas) implements Row {}

    record Sourced(DatasetVersion version, List<Sibling> siblings) implements Row {}
}
