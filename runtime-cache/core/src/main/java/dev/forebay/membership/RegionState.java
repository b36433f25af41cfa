package dev.forebay.membership;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.NodeName;
import dev.forebay.model.RegionName;
import dev.forebay.model.Sibling;
import dev.forebay.placement.WorkerNode;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The shared state of a region in its etcd: workers, mounts, pins and the queue. Safe for use by
 * many threads.
 *
 * <p>Every change is one etcd transaction. Calls block for at most the configured timeout and then
 * throw {@link dev.forebay.model.ForebayException} with {@code UNAVAILABLE}. They throw it at once
 * if a later release wrote the row that they change. They throw {@code DENIED} if etcd refuses this
 * process. {@link #view} never blocks, and never fails once the first snapshot has been read.
 */
public interface RegionState extends AutoCloseable {

    /** The most copies of a chunk that a version may request. */
    int MAX_REPLICAS = 16;

    /** Returns the last known snapshot, which a supervised watch keeps current. */
    RegionView view();

    /**
     * Calls {@code listener} with the present snapshot and again after each change, on one thread,
     * in order.
     */
    void onChange(Consumer<RegionView> listener);

    /**
     * Returns whether the watch is in contact with etcd at this moment. If not, {@link #view} may
     * be stale.
     */
    boolean connected();

    /**
     * Returns how many rows of the region were written by a later release, or 0 before the first
     * snapshot.
     */
    int rowsNotUnderstood();

    /**
     * Returns whether {@link #view} was found equal to etcd by a comparison that began after this
     * moment.
     *
     * @param nanos a value of {@link System#nanoTime}
     */
    boolean confirmedSince(long nanos);

    /**
     * Waits until {@link #view} and all listeners know everything that etcd knew at the time of the
     * call. A listener must not call it.
     *
     * @throws dev.forebay.model.ForebayException {@code UNAVAILABLE} if etcd is away, or does not
     *     answer within the configured timeout
     */
    void catchUp();

    /**
     * Registers a worker and keeps its liveness lease alive until the result is closed. The first
     * registration replaces that of an earlier process of this worker. After the loss of the lease,
     * the worker registers again only if no other process has become this worker meanwhile.
     */
    WorkerRegistration join(WorkerNode worker);

    /**
     * Returns the entry in which a node lists the versions that it holds. Reads and writes nothing
     * yet.
     *
     * @param life the lifetime of the entry after its last renewal, in whole seconds, at least 1
     */
    NodeEntry node(NodeName name, Duration life);

    /**
     * Reads the versions that each node reports to hold. Leaves out entries that are not
     * understood.
     *
     * @throws dev.forebay.model.ForebayException {@code UNAVAILABLE} if etcd does not answer:
     *     nothing is known then
     */
    List<NodeReport> nodes();

    /**
     * Reads the regions that have keys in this etcd, other than keys of nodes. Makes a small call
     * for each region.
     *
     * @param most the most regions to return, the first ones by name
     * @throws dev.forebay.model.ForebayException {@code UNAVAILABLE} if etcd does not answer
     */
    List<RegionName> regions(int most);

    /**
     * Removes a worker that is not live, so that placement assigns its chunks to other workers.
     * Does nothing if the worker is live.
     *
     * @param remembered the time for which the worker is then among the {@linkplain
     *     RegionView#departed departed}, unless it comes back
     */
    void remove(String workerId, Duration remembered);

    /**
     * Enters a version into the mount table as WARMING if the check admits it. Does nothing if it
     * is there with the same manifest. Concurrent entries are judged one after the other, each by
     * the state that the others left. A version that must wait stays in the region's queue until it
     * enters, is refused or evicted, or has not asked for two minutes.
     *
     * @return the place in the queue, or empty once the version is in the mount table
     * @throws dev.forebay.model.ForebayException {@code EVICTING} if it is being evicted; and the
     *     exceptions of the check
     */
    Optional<QueuedVersion> admit(
            DatasetVersion version, ManifestRef manifest, MountAdmission check);

    /**
     * Enters a version into the mount table as WARMING without admission. Keeps CACHED if it is
     * CACHED with the same manifest.
     *
     * @throws dev.forebay.model.ForebayException {@code EVICTING} if it is being evicted; mount it
     *     when the eviction has ended
     */
    void mount(DatasetVersion version, ManifestRef manifest);

    /**
     * Changes a version from WARMING to CACHED. Does nothing if it is CACHED.
     *
     * @throws dev.forebay.model.ForebayException {@code NOT_FOUND} if it is not mounted, {@code
     *     EVICTING} if it is being evicted
     */
    void markCached(DatasetVersion version);

    /**
     * Sets how many workers hold each chunk of a version from now on, mounted or not.
     *
     * @param count 1 to {@link #MAX_REPLICAS}; at most one copy per worker is made
     */
    void replicate(DatasetVersion version, int count);

    /**
     * Sets the other regions to ask for a version's bytes before the lake, until it is unmounted.
     * The version need not be mounted yet.
     *
     * @param siblings in order, the first one to ask first; at most {@link Sibling#MOST}, none for
     *     the lake alone
     */
    void fillFrom(DatasetVersion version, List<Sibling> siblings);

    /**
     * Takes a pin, or renews it if this holder already has one with this id.
     *
     * @throws dev.forebay.model.ForebayException {@code NOT_FOUND} if the version is not mounted in
     *     the region, {@code EVICTING} if it is being evicted, {@code ALREADY_EXISTS} if another
     *     holder has a pin with this id
     */
    void pin(Pin pin);

    /** Renews a pin and returns the time it now has left, or empty if it has ended. */
    Optional<Duration> renew(DatasetVersion version, String pinId);

    /** Returns the time a pin has left, or empty if it has ended. */
    Optional<Duration> remaining(DatasetVersion version, String pinId);

    /** Ends a pin. Does nothing if it has ended. */
    void unpin(DatasetVersion version, String pinId);

    /**
     * Ends a pin if its row is unchanged since it was read. Does nothing if it has ended, or was
     * taken again with other content.
     *
     * @return whether this call ended it
     */
    boolean unpin(Pin seen);

    /**
     * Moves a version to EVICTING, fenced against pins: if a pin and an eviction race, exactly one
     * wins. Does nothing if the version is EVICTING or not mounted.
     *
     * @throws dev.forebay.model.ForebayException {@code PINNED} if a pin is alive, naming the
     *     holders, or if a row of a later release may claim the version, naming its key
     */
    void beginEviction(DatasetVersion version);

    /**
     * Removes an EVICTING version from the mount table, and any version from the queue. Does
     * nothing if it is in neither.
     *
     * @throws dev.forebay.model.ForebayException {@code INTERNAL} if it is mounted and not
     *     EVICTING, so still in use
     */
    void unmount(DatasetVersion version);

    @Override
    void close();
}
