package dev.forebay.control.engine;

import dev.forebay.model.RegionName;
import dev.forebay.workflows.message.Receipt;
import java.util.List;

/** How far a request to have a version in a region is. */
public sealed interface Ensured {

    /** What the request is asked after with. */
    String requestId();

    /** What was asked for is there, or the deadline has passed. */
    record Done(String requestId, Receipt receipt) implements Ensured {}

    /** Accepted, in Temporal's history: it goes on whatever happens here. */
    record Pending(String requestId, List<RegionName> regions) implements Ensured {}
}
