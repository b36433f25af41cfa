package dev.forebay.service.temporal;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.WorkflowIds;
import io.temporal.client.WorkflowClient;
import io.temporal.client.WorkflowNotFoundException;
import jakarta.inject.Singleton;
import org.jboss.logging.Logger;

/**
 * Signals a region's events to the workflows of versions. Calls block. Safe for use by many
 * threads.
 */
@Singleton
public class VersionSignals {

    private static final Logger LOG = Logger.getLogger(VersionSignals.class);

    private final WorkflowClient client;

    VersionSignals(WorkflowClient client) {
        this.client = client;
    }

    /** Signals that a region that was complete may be incomplete. Returns whether that arrived. */
    public boolean upkeep(DatasetVersion version, RegionName region) {
        try {
            client.newUntypedWorkflowStub(WorkflowIds.version(version)).signal("upkeep", region);
            return true;
        } catch (RuntimeException e) {
            LOG.warnf(
                    "Cannot report missing chunks to the workflow of %s: %s",
                    version, e.getMessage());
            return false;
        }
    }

    /**
     * Signals that pins have ended that the workflow may believe alive. Returns false if the
     * workflow was not reached and the caller should try again.
     */
    public boolean pinsEnded(DatasetVersion version, RegionName region) {
        try {
            client.newUntypedWorkflowStub(WorkflowIds.version(version)).signal("pinsEnded", region);
            return true;
        } catch (WorkflowNotFoundException nobodyToTell) {
            return true;
        } catch (RuntimeException e) {
            LOG.warnf(
                    "Cannot report ended pins to the workflow of %s: %s", version, e.getMessage());
            return false;
        }
    }
}
