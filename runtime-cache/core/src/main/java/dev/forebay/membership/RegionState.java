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
 * A region's shared state in its etcd. Safe for use by many threads.
 *
 * <p>Every mutation is one etcd transaction; calls block for at most the configured time-out and
 * then throw {@link dev.forebay.model.ForebayException} with {@code UNAVAILABLE}, as they do at
 * once where a later release wrote the row that they are to change. They throw {@code DENIED} if
 * etcd refuses this process. {@link #view} never blocks and never fails once the first snapshot was
 * read.
 */
public interface RegionState extends AutoCloseable {

    /** The most copies of a chunk that can be asked for. */
    int MAX_REPLICAS = 16;

    /** The last known snapshot, kept current by a supervised watch. */
    RegionView view();

    /**
     * Calls {@code listener} with the present snapshot and again after each change, on one thread,
     * in order.
     */
    void onChange(Consumer<RegionView> listener);

    /**
     * Whether the watch is in touch with etcd at this moment; {@code false} means {@link #view} may
     * be stale.
     */
    boolean connected();

    /** How many rows of the region a later release wrote; 0 if none was read yet. */
    int rowsNotUnderstood();

    /**
     * Whether what {@link #view} says was compared with etcd, by a question that was asked after
     * this moment.
     *
     * @param nanos a value of {@link System#nanoTime}
     */
    boolean confirmedSince(long nanos);

    /**
     * Returns when {@link #view}, and whoever listens, knows all that etcd knew when this was
     * called. Not to be called by a listener.
     *
     * @throws dev.forebay.model.ForebayException {@code UNAVAILABLE} if etcd is away, or has not
     *     said so within the configured time-out
     */
    void catchUp();

    /**
     * Registers a worker for good and keeps its liveness lease alive, re-establishing it for ever,
     * until closed. The first registration replaces that of an earlier process of this worker; if
     * the lease is lost it is made anew only if no other process has become this worker meanwhile.
     */
    Membership join(WorkerNode worker);

    /**
     * The entry in which a node says what it holds. Nothing is read or written yet.
     *
     * @param life how long it stays after it was said last; in whole seconds, at least 1
     */
    NodeEntry node(NodeName name, Duration life);

    /**
     * What nodes say that they hold, asked now; entries that are not understood are left out.
     *
     * @throws dev.forebay.model.ForebayException {@code UNAVAILABLE} if etcd does not answer:
     *     nothing is known then
     */
    List<NodeReport> nodes();

    /**
     * The regions of which this etcd knows anything but nodes, asked now, at a small question each.
     *
     * @param most not more than so many, the first ones by their name
     * @throws dev.forebay.model.ForebayException {@code UNAVAILABLE} if etcd does not answer
     */
    List<RegionName> regions(int most);

    /**
     * Removes a worker that is not live, so that its chunks are placed elsewhere; does nothing to
     * one that is.
     *
     * @param remembered how long it is among the {@linkplain RegionView#departed departed} then, if
     *     it does not come back
     */
    void remove(String workerId, Duration remembered);

    /**
     * Enters a version into the mount table as WARMING if the gatekeeper lets it; does nothing if
     * it is there with the same manifest. Of several that enter at once each is judged by what the
     * others have left. Who has to wait is in the region's queue until he enters, is refused, is
     * evicted, or has not asked for two minutes.
     *
     * @return how it waits; empty once it is in the mount table
     * @throws dev.forebay.model.ForebayException {@code EVICTING} if it is just being evicted; and
     *     what the gatekeeper throws
     */
    Optional<Applicant> admit(DatasetVersion version, ManifestRef manifest, Gatekeeper keeper);

    /**
     * Enters a version into the mount table as WARMING, room or not; keeps CACHED if it is CACHED
     * with the same manifest.
     *
     * @throws dev.forebay.model.ForebayException {@code EVICTING} if it is just being evicted;
     *     mount it when it is gone
     */
    void mount(DatasetVersion version, ManifestRef manifest);

    /**
     * WARMING to CACHED; does nothing if it is CACHED.
     *
     * @throws dev.forebay.model.ForebayException {@code NOT_FOUND} if it is not mounted, {@code
     *     EVICTING} if it is being evicted
     */
    void markCached(DatasetVersion version);

    /**
     * Says how many workers are to hold each chunk of a version, mounted or not, from now on.
     *
     * @param count 1 to {@link #MAX_REPLICAS}; more copies than there are workers are not made
     */
    void replicate(DatasetVersion version, int count);

    /**
     * Says which other regions to ask for a version's bytes before the lake, mounted or not, from
     * now on until it is unmounted.
     *
     * @param siblings the one to ask first before the others; at most {@link Sibling#MOST}, none
     *     for the lake alone
     */
    void fillFrom(DatasetVersion version, List<Sibling> siblings);

    /**
     * Takes a pin, or renews it if this holder has one with this id already.
     *
     * @throws dev.forebay.model.ForebayException {@code NOT_FOUND} if the version is not mounted in
     *     the region, {@code EVICTING} if it is being evicted, {@code ALREADY_EXISTS} if another
     *     holder has a pin with this id
     */
    void pin(Pin pin);

    /** Renews a pin and returns the time it now has left, or empty if it has ended. */
    Optional<Duration> renew(DatasetVersion version, String pinId);

    /** The time a pin has left, or empty if it has ended. */
    Optional<Duration> remaining(DatasetVersion version, String pinId);

    /** Ends a pin; does nothing if it has ended. */
    void unpin(DatasetVersion version, String pinId);

    /**
     * Ends a pin if it still is as it was seen; does nothing if it has ended, or was taken again
     * with anything else in it.
     *
     * @return whether this ended it
     */
    boolean unpin(Pin seen);

    /**
     * Moves a version to EVICTING, fenced against pins: of a pin and an eviction that race exactly
     * one wins. Does nothing if the version is EVICTING or not mounted.
     *
     * @throws dev.forebay.model.ForebayException {@code PINNED}, naming the holders, if a pin is
     *     alive, or naming the key of a row of a later release that may claim the version
     */
    void beginEviction(DatasetVersion version);

    /**
     * Removes an EVICTING version from the mount table, and any version from the queue; does
     * nothing if it is in neither.
     *
     * @throws dev.forebay.model.ForebayException {@code INTERNAL} if it is there and not EVICTING,
     *     that is in use
     */
    void unmount(DatasetVersion version);

    @Override
    void close();
}
