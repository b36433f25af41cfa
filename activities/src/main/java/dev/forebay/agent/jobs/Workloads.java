package dev.forebay.agent.jobs;

import dev.forebay.model.ForebayException;
import java.time.Instant;
import java.util.List;
import java.util.Set;

/**
 * The Workloads of Kueue that wait for a version, and the AdmissionChecks by which they do. What is
 * told to one that has changed since it was seen does nothing, and what is told again changes
 * nothing. Safe for use by many threads.
 *
 * <p>All but {@link #follow} and {@link #reserved} throw {@link ForebayException} {@code
 * UNAVAILABLE} if the API server does not do it.
 */
public interface Workloads extends AutoCloseable {

    /** The {@code controllerName} of our AdmissionChecks. */
    String CONTROLLER = "forebay.dev/warm";

    /** Follows them from now on, also if neither the API server nor Kueue is there yet. */
    void follow();

    /** Has Kueue know that somebody looks after our AdmissionChecks: it gives no quota before. */
    void activate();

    /** Those that have their quota and a check of ours, decided or not, as far as is known. */
    List<ReservedWorkload> reserved();

    /** Returns the time of the API server's clock. */
    Instant clock();

    /** Whose life the pin of a Workload has. */
    Holder holder(ReservedWorkload workload);

    /** Has one wait, and says why. */
    void tell(ReservedWorkload workload, String message);

    /**
     * Lets one run.
     *
     * @param late the sets of pods that run though their version was not there by the deadline:
     *     they are not to wait for it again
     */
    void admit(ReservedWorkload workload, String message, Set<String> late);

    /** Has one not run. */
    void reject(ReservedWorkload workload, String message);

    @Override
    void close();
}
