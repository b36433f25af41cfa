package dev.forebay.membership;

/**
 * A worker's place in its region. Closing it lets the worker stay registered but not live. Safe for
 * use by many threads.
 */
public interface Membership extends AutoCloseable {

    /**
     * The etcd revision at which this process registered last; 0 before. Of two processes with one
     * worker's id the one with the higher epoch is the worker.
     */
    long epoch();

    /**
     * Whether etcd has confirmed this process's lease less than the lease's life ago, so that
     * nobody can have taken this worker for dead or become it. Judged by the clock that runs on
     * while a process is stopped, so it is right in the instant after a pause too.
     */
    boolean valid();

    /** Whether another process has become this worker; it never ends. */
    boolean superseded();

    /**
     * Gives up the claim to chunks, so that they are placed elsewhere; the worker stays live.
     *
     * @throws dev.forebay.model.ForebayException {@code UNAVAILABLE} if etcd does not answer
     */
    void drain();

    /**
     * Ends the membership and takes the worker out of the region.
     *
     * @throws dev.forebay.model.ForebayException {@code UNAVAILABLE} if etcd does not answer
     */
    void remove();

    @Override
    void close();
}
