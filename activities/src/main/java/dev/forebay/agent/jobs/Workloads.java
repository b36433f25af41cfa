package dev.forebay.agent.jobs;

import dev.forebay.model.ForebayException;
import java.time.Instant;
import java.util.List;
import java.util.Set;

/**
 * Kueue's Workloads that wait for a version, and the AdmissionChecks that make them wait. An answer
 * to a Workload that has changed does nothing, and a repeated answer has no effect. Safe for use by
 * many threads.
 *
 * <p>All methods except {@link #follow} and {@link #reserved} throw {@link ForebayException} {@code
 * UNAVAILABLE} if the API server does not answer.
 */
public interface Workloads extends AutoCloseable {

    /** The {@code controllerName} of our AdmissionChecks. */
    String CONTROLLER = "forebay.dev/warm";

    /**
     * Starts to follow the Workloads, even if neither the API server nor Kueue is available yet.
     */
    void follow();

    /** Marks our AdmissionChecks as active. Kueue gives no quota before. */
    void activate();

    /**
     * Returns the Workloads that have their quota and one of our checks, decided or not, as last
     * known.
     */
    List<ReservedWorkload> reserved();

    /** Returns the time of the API server's clock. */
    Instant clock();

    /** Returns the holder of a Workload's pin. */
    PinOwner holder(ReservedWorkload workload);

    /** Lets a Workload wait, and says why. */
    void tell(ReservedWorkload workload, String message);

    /**
     * Lets a Workload run.
     *
     * @param late the pod sets that run although their version missed the deadline, so that they do
     *     not wait for it again
     */
    void admit(ReservedWorkload workload, String message, Set<String> late);

    /** Refuses a Workload. */
    void reject(ReservedWorkload workload, String message);

    @Override
    void close();
}
