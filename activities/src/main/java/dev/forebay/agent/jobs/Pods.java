package dev.forebay.agent.jobs;

import dev.forebay.model.ForebayException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The pods of a cluster that the webhook has changed. What is done to one that is gone does
 * nothing, and what is done again changes nothing. Safe for use by many threads.
 *
 * <p>All but {@link #gated} throw {@link ForebayException} {@code UNAVAILABLE} if the API server
 * does not do it.
 */
public interface Pods extends AutoCloseable {

    /** The scheduling gate of pods that wait. */
    String GATE = "forebay.dev/warm";

    /** The label of pods that the webhook has changed; its value is {@code true}. */
    String ADMITTED = "forebay.dev/admitted";

    /** The type of the condition that says whether a pod's version is warm. */
    String CONDITION = "forebay.dev/Warm";

    /**
     * The condition of a pod that Forebay has failed. Not {@link #CONDITION}, which is false, too,
     * of one that runs cold.
     */
    String FAILED = "forebay.dev/DeadlineExceeded";

    /** The annotation with the id of the pin that holds a pod's version. */
    String PIN = "forebay.dev/pin";

    /**
     * The annotation of pods that have waited long enough before they were made, if its value is
     * {@code true}: their deadline has passed.
     */
    String LATE = "forebay.dev/late";

    /** Follows the pods from now on, also if the API server is not there yet. */
    void follow();

    /** Those that have the gate, as far as is known. */
    List<AdmittedPod> gated();

    /**
     * Those that were let go to a node, by whomever, and have not ended. By an answer to a question
     * that was asked after this call began.
     */
    List<AdmittedPod> running();

    /** Returns the time of the API server's clock, by which pods are made. */
    Instant clock();

    /** Whether it is there and was let go to a node, by whomever. */
    boolean isOpen(AdmittedPod pod);

    /** Whose life the pin of a pod has. */
    Holder holder(AdmittedPod pod);

    /** Tells a pod how things are. */
    void tell(AdmittedPod pod, Notice notice);

    /**
     * Lets a pod go to a node.
     *
     * @param pinId of the pin that holds its version, if one does
     */
    void open(AdmittedPod pod, Notice notice, Optional<String> pinId);

    /** Ends a pod as one that has failed, for whoever made it to decide what follows. */
    void fail(AdmittedPod pod, Notice notice);

    @Override
    void close();
}
