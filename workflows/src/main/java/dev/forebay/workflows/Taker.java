package dev.forebay.workflows;

import io.temporal.workflow.UpdateInfo;
import io.temporal.workflow.Workflow;

/**
 * Somebody for whom pins are taken: one request, in all of its regions. Who asks the next run again
 * is the same.
 *
 * @param request the id of its update
 */
record Taker(String request) {

    /** Who does not give back by himself what he takes, or of whom nothing is known. */
    static final Taker SOMEBODY = new Taker("");

    /** The request that is being served. */
    static Taker current() {
        return Workflow.getCurrentUpdateInfo()
                .map(UpdateInfo::getUpdateId)
                .map(Taker::new)
                .orElse(SOMEBODY);
    }
}
