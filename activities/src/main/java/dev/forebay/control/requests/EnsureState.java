package dev.forebay.control.requests;

import dev.forebay.model.RegionName;
import dev.forebay.workflows.message.Receipt;
import java.util.List;

/** The state of an ensure request. */
public sealed interface EnsureState {

    /** Returns the id with which a client polls the request. */
    String requestId();

    /** The version is in the regions as requested, or the deadline has passed. */
    record Done(String requestId, Receipt receipt) implements EnsureState {}

    /** The request is in Temporal's history and continues even if this process ends. */
    record Pending(String requestId, List<RegionName> regions) implements EnsureState {}
}
