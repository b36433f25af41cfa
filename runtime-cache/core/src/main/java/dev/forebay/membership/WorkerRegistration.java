package dev.forebay.membership;

/**
 * The registration of a worker in its region. {@link #close} ends the liveness lease; the worker
 * stays registered. Safe for use by many threads.
 */
public interface WorkerRegistration extends AutoCloseable {

    /**
     * Returns the etcd revision of this process's last registration, or 0 before the first. If two
     * processes have the same worker id, the one with the higher epoch is the worker.
     */
    long epoch();

    /**
     * Returns whether etcd confirmed this process's lease within the last lease duration. In that
     * case no other process can have removed this worker or become it. Uses a clock that continues
     * while the process is stopped, so the answer is right immediately after a pause, too.
     */
    boolean valid();

    /** Returns whether another process has become this worker. Once true, it stays true. */
    boolean superseded();

    /**
     * Gives up the claim to chunks, so that placement assigns them to other workers. The worker
     * stays live.
     *
     * @throws dev.forebay.model.ForebayException {@code UNAVAILABLE} if etcd does not answer
     */
    void drain();

    /**
     * Ends the membership and removes the worker from the region.
     *
     * @throws dev.forebay.model.ForebayException {@code UNAVAILABLE} if etcd does not answer
     */
    void remove();

    @Override
    void close();
}
