package dev.forebay.control.engine;

import dev.forebay.model.RegionName;
import dev.forebay.workflows.message.Receipt;

/** How far a request to have a version in a region is. */
public sealed interface Ensured {

    /** What the request is asked after with. */
    String requestId();

    /** Every byte is there. */
    record Done(String requestId, Receipt receipt) implements Ensured {}

    /** Accepted, in Temporal's history: it goes on whatever happens here. */
    record Pending(String requestId, RegionName region) implements Ensured {}
}
