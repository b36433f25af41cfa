package dev.forebay.agent.jobs;

import dev.forebay.model.ForebayException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The pods of a cluster that the webhook has changed. Changes to a pod that is gone do nothing, and
 * repeated changes have no effect. Safe for use by many threads.
 *
 * <p>All methods except {@link #gated} throw {@link ForebayException} {@code UNAVAILABLE} if the
 * API server does not answer.
 */
public interface Pods extends AutoCloseable {

    /** The scheduling gate of pods that wait. */
    String GATE = "forebay.dev/warm";

    /** The label of pods that the webhook has changed. Its value is {@code true}. */
    String ADMITTED = "forebay.dev/admitted";

    /** The type of the condition that says whether a pod's version is in the region. */
    String CONDITION = "forebay.dev/Warm";

    /**
     * The condition of a pod that Forebay has failed. It differs from {@link #CONDITION}, which is
     * also false for a pod that runs cold.
     */
    String FAILED = "forebay.dev/DeadlineExceeded";

    /** The annotation with the id of the pin that holds a pod's version. */
    String PIN = "forebay.dev/pin";

    /**
     * The annotation, with the value {@code true}, of pods whose deadline passed before they were
     * created.
     */
    String LATE = "forebay.dev/late";

    /** Starts to follow the pods, even if the API server is not available yet. */
    void follow();

    /** Returns the pods with the gate, as last known. */
    List<AdmittedPod> gated();

    /**
     * Returns the pods without the gate that have not ended. The answer is to a request sent after
     * this call began.
     */
    List<AdmittedPod> running();

    /** Returns the time of the API server's clock, which also gives the creation times of pods. */
    Instant clock();

    /** Returns whether the pod exists and has no gate any more. */
    boolean isOpen(AdmittedPod pod);

    /** Returns the holder of a pod's pin. */
    PinOwner holder(AdmittedPod pod);

    /** Shows a notice on a pod. */
    void tell(AdmittedPod pod, VersionNotice notice);

    /**
     * Removes the gate of a pod.
     *
     * @param pinId the id of the pin that holds its version, if any
     */
    void open(AdmittedPod pod, VersionNotice notice, Optional<String> pinId);

    /** Marks a pod as failed. Its controller decides what follows. */
    void fail(AdmittedPod pod, VersionNotice notice);

    @Override
    void close();
}
