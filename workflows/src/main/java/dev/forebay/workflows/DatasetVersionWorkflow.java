package dev.forebay.workflows;

import dev.forebay.model.RegionName;
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
import dev.forebay.workflows.message.VersionInput;
import dev.forebay.workflows.message.VersionStatus;
import io.temporal.workflow.QueryMethod;
import io.temporal.workflow.SignalMethod;
import io.temporal.workflow.UpdateMethod;
import io.temporal.workflow.UpdateValidatorMethod;
import io.temporal.workflow.WorkflowInterface;
import io.temporal.workflow.WorkflowMethod;

/**
 * The entity workflow of one dataset version: it owns the version's residency in every region, its
 * pins and its TTL.
 *
 * <p>Called with update-with-start under {@link WorkflowIds#version}. Temporal deduplicates an
 * update by its id within one run only, so every update is idempotent by what it means: a version
 * that is CACHED is not filled again, a pin has the id its client chose, a TTL that is already set
 * does not start again. A refusal is an {@code ApplicationFailure} whose type is the name of an
 * {@link dev.forebay.model.ErrorCode}.
 */
@WorkflowInterface
public interface DatasetVersionWorkflow {

    @WorkflowMethod(name = "DatasetVersion")
    void run(VersionInput input);

    /**
     * Completes when as much of the version as was asked for is in the regions and verified, and
     * the pin, if one is asked for, is held; or when the caller's deadline has passed.
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
     * Completes when the region holds nothing of the version any more; refused with PINNED while a
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

    /** Lets a region that is BLOCKED try again; does nothing if it is not. */
    @UpdateMethod
    void resume(ResumeRequest request);

    @UpdateValidatorMethod(updateName = "resume")
    void validateResume(ResumeRequest request);

    /**
     * Takes an {@code ensureCached} back. Completes when its caller was answered with CANCELLED and
     * nothing of a filling is left that nobody else waits for or holds.
     */
    @UpdateMethod
    void cancel(CancelRequest request);

    @UpdateValidatorMethod(updateName = "cancel")
    void validateCancel(CancelRequest request);

    /**
     * Gives up a region that is BLOCKED: completes when it holds nothing of the version any more;
     * does nothing if it is not BLOCKED.
     */
    @UpdateMethod
    void abandon(AbandonRequest request);

    @UpdateValidatorMethod(updateName = "abandon")
    void validateAbandon(AbandonRequest request);

    /** From the child that fills a region, a bounded number of times per filling. */
    @SignalMethod
    void progress(FillProgress progress);

    /**
     * From a sweep, about a version of a dataset whose time to live begins with the last read: once
     * when its time would have passed.
     */
    @SignalMethod
    void read(ReadReport report);

    /**
     * From the region's agent, when workers have gone and a pinned version is not complete any
     * more: a region that is CACHED is asked again, and filled with what is missing.
     */
    @SignalMethod
    void upkeep(RegionName region);

    /**
     * From the region's agent, when it has ended pins because their Jobs are over: the region is
     * asked which of them live.
     */
    @SignalMethod
    void pinsEnded(RegionName region);

    @QueryMethod
    VersionStatus status();
}
