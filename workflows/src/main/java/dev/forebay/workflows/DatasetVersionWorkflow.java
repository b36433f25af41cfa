package dev.forebay.workflows;

import dev.forebay.model.RegionName;
import dev.forebay.workflows.input.VersionInput;
import dev.forebay.workflows.message.AbandonRequest;
import dev.forebay.workflows.message.CancelRequest;
import dev.forebay.workflows.message.EnsureRequest;
import dev.forebay.workflows.message.EvictRequest;
import dev.forebay.workflows.message.FillProgress;
import dev.forebay.workflows.message.PinGrant;
import dev.forebay.workflows.message.PinRequest;
import dev.forebay.workflows.message.ReadReport;
import dev.forebay.workflows.message.Receipt;
import dev.forebay.workflows.message.ResumeRequest;
import dev.forebay.workflows.message.TtlRequest;
import dev.forebay.workflows.message.UnpinRequest;
import dev.forebay.workflows.message.VersionStatus;
import io.temporal.workflow.QueryMethod;
import io.temporal.workflow.SignalMethod;
import io.temporal.workflow.UpdateMethod;
import io.temporal.workflow.UpdateValidatorMethod;
import io.temporal.workflow.WorkflowInterface;
import io.temporal.workflow.WorkflowMethod;

/**
 * The entity workflow of one dataset version. It owns the version's residency in every region, its
 * pins and its TTL.
 *
 * <p>Clients call it by update-with-start under {@link WorkflowIds#version}. Temporal deduplicates
 * updates by id within one run only, so every update is idempotent by its meaning. A CACHED version
 * is not filled again, the client chooses a pin's id, and setting the same TTL does not start it
 * again. A refusal is an {@code ApplicationFailure} whose type is the name of an {@link
 * dev.forebay.model.ErrorCode}.
 */
@WorkflowInterface
public interface DatasetVersionWorkflow {

    @WorkflowMethod(name = "DatasetVersion")
    void run(VersionInput input);

    /**
     * Completes when the requested coverage is in the regions and verified, and the requested pin,
     * if any, is held. Otherwise completes when the client's deadline has passed.
     */
    @UpdateMethod
    Receipt ensureCached(EnsureRequest request);

    @UpdateValidatorMethod(updateName = "ensureCached")
    void validateEnsureCached(EnsureRequest request);

    /** Takes a pin on a version that is WARMING or CACHED in the region. */
    @UpdateMethod
    PinGrant pin(PinRequest request);

    @UpdateValidatorMethod(updateName = "pin")
    void validatePin(PinRequest request);

    @UpdateMethod
    void unpin(UnpinRequest request);

    @UpdateValidatorMethod(updateName = "unpin")
    void validateUnpin(UnpinRequest request);

    /**
     * Completes when the region holds nothing of the version any more. Refused with PINNED while a
     * pin lives.
     */
    @UpdateMethod
    void evict(EvictRequest request);

    @UpdateValidatorMethod(updateName = "evict")
    void validateEvict(EvictRequest request);

    @UpdateMethod
    void setTtl(TtlRequest request);

    @UpdateValidatorMethod(updateName = "setTtl")
    void validateSetTtl(TtlRequest request);

    /** Lets a region that is BLOCKED try again. Does nothing if it is not BLOCKED. */
    @UpdateMethod
    void resume(ResumeRequest request);

    @UpdateValidatorMethod(updateName = "resume")
    void validateResume(ResumeRequest request);

    /**
     * Cancels an {@code ensureCached}. Completes when its client was answered with CANCELLED and
     * its incomplete copies are evicted. A copy stays if another request waits for it or a pin
     * holds it.
     */
    @UpdateMethod
    void cancel(CancelRequest request);

    @UpdateValidatorMethod(updateName = "cancel")
    void validateCancel(CancelRequest request);

    /**
     * Gives up a region that is BLOCKED. Completes when the region holds nothing of the version any
     * more. Does nothing if it is not BLOCKED.
     */
    @UpdateMethod
    void abandon(AbandonRequest request);

    @UpdateValidatorMethod(updateName = "abandon")
    void validateAbandon(AbandonRequest request);

    /**
     * Receives the progress of the child that fills a region, a bounded number of times per fill.
     */
    @SignalMethod
    void progress(FillProgress progress);

    /**
     * Receives a read from a sweep, for a version of a dataset whose time to live starts again with
     * each read. The sweep sends it once, when the time would have ended.
     */
    @SignalMethod
    void read(ReadReport report);

    /**
     * Receives a report of the region's agent that workers were lost and a pinned version is
     * incomplete. If the region is CACHED, the workflow confirms it again and fills what is
     * missing.
     */
    @SignalMethod
    void upkeep(RegionName region);

    /**
     * Receives a report of the region's agent that it has ended pins because their Jobs are over.
     * The workflow then asks the region which pins live.
     */
    @SignalMethod
    void pinsEnded(RegionName region);

    @QueryMethod
    VersionStatus status();
}
