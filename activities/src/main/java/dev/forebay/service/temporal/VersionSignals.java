package dev.forebay.service.temporal;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.WorkflowIds;
import io.temporal.client.WorkflowClient;
import io.temporal.client.WorkflowNotFoundException;
import jakarta.inject.Singleton;
import org.jboss.logging.Logger;

/** What a region tells the workflows of versions. Calls block; safe for use by many threads. */
@Singleton
public class VersionSignals {

    private static final Logger LOG = Logger.getLogger(VersionSignals.class);

    private final WorkflowClient client;

    VersionSignals(WorkflowClient client) {
        this.client = client;
    }

    /** Says that a region that was complete may not be any more; returns whether that arrived. */
    public boolean upkeep(DatasetVersion version, RegionName region) {
        try {
            client.newUntypedWorkflowStub(WorkflowIds.version(version)).signal("upkeep", region);
            return true;
        } catch (RuntimeException e) {
            LOG.warnf("%s does not hear that it lacks something: %s", version, e.getMessage());
            return false;
        }
    }

    /**
     * Says that pins have ended that the workflow may believe in; returns false if it was not
     * reached, and may be told again.
     */
    public boolean pinsEnded(DatasetVersion version, RegionName region) {
        try {
            client.newUntypedWorkflowStub(WorkflowIds.version(version)).signal("pinsEnded", region);
            return true;
        } catch (WorkflowNotFoundException nobodyToTell) {
            return true;
        } catch (RuntimeException e) {
            LOG.warnf("%s does not hear that pins have ended: %s", version, e.getMessage());
            return false;
        }
    }
}
