package dev.forebay.workflows;

import io.temporal.workflow.UpdateInfo;
import io.temporal.workflow.Workflow;

/**
 * The request that pins are taken for, in all of its regions. It stays the same when the client
 * sends the request to the next run.
 *
 * @param request the id of its update
 */
record Taker(String request) {

    /** Stands for takers that never release their pins by themselves, and for unknown ones. */
    static final Taker SOMEBODY = new Taker("");

    /** Returns the request that is being served. */
    static Taker current() {
        return Workflow.getCurrentUpdateInfo()
                .map(UpdateInfo::getUpdateId)
                .map(Taker::new)
                .orElse(SOMEBODY);
    }
}
