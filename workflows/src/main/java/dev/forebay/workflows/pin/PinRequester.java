package dev.forebay.workflows.pin;

import io.temporal.workflow.UpdateInfo;
import io.temporal.workflow.Workflow;

/**
 * The request that pins are taken for, in all of its regions. It stays the same when the client
 * sends the request to the next run.
 *
 * @param request the id of its update
 */
public record PinRequester(String request) {

    /** Stands for requesters that never release their pins by themselves, and for unknown ones. */
    static final PinRequester NO_REQUEST = new PinRequester("");

    /** Returns the request that is being served. */
    public static PinRequester current() {
        return Workflow.getCurrentUpdateInfo()
                .map(UpdateInfo::getUpdateId)
                .map(PinRequester::new)
                .orElse(NO_REQUEST);
    }
}
