package dev.forebay.worker.retention;

import dev.forebay.membership.Mount;
import dev.forebay.membership.Pin;
import dev.forebay.membership.RegionView;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.PackId;
import dev.forebay.thread.PeriodicTask;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The packs whose chunks must not be evicted. These are the packs of pinned versions, and of mounts
 * in a state that only a later release knows.
 *
 * <p>In doubt all packs are protected: before the first state of the region, and while a manifest
 * of a pinned version cannot be read. The same holds while a row of a later release may claim
 * chunks. While etcd is down the last known pins count. A test never blocks. Safe for use by many
 * threads.
 */
public final class ProtectedPacks implements Predicate<PackId>, AutoCloseable {

    private static final Duration RETRY = Duration.ofSeconds(2);

    private final MountedVersions versions;
    private final BooleanSupplier behind;
    private final PeriodicTask resolver =
            new PeriodicTask(
                    Thread.ofVirtual().name("protected-packs"),
                    RETRY,
                    "No chunk can be evicted until the manifests of pinned versions have arrived",
                    this::resolve);

    // Written under the lock of this object.
    private volatile List<ManifestRef> pinned = List.of();
    // Null: all packs are protected.
    private volatile @Nullable Set<PackId> packs;
    private volatile boolean hidden;

    /**
     * Protects all packs until the first {@link #update}.
     *
     * @param behind whether the region may have changed while this process was stopped; if so, all
     *     packs are protected
     */
    public ProtectedPacks(MountedVersions versions, BooleanSupplier behind) {
        this.versions = versions;
        this.behind = behind;
        resolver.start();
    }

    @Override
    public boolean test(PackId pack) {
        Set<PackId> known = packs;
        return known == null || hidden || known.contains(pack) || behind.getAsBoolean();
    }

    /** Takes the pins from the given state. Call it after {@link MountedVersions#update}. */
    public synchronized void update(RegionView view) {
        hidden = view.hidesClaims();
        Set<DatasetVersion> versionsWithPins =
                view.pins().stream().map(Pin::version).collect(Collectors.toSet());
        pinned =
                view.mounts().stream()
                        .filter(
                                mount ->
                                        mount.state() == Mount.State.UNKNOWN
                                                || versionsWithPins.contains(mount.version()))
                        .map(Mount::manifest)
                        .distinct()
                        .toList();
        if (pinned.stream().allMatch(ref -> versions.knowsPacks(ref.digest()))) {
            packs = union(pinned);
        } else {
            packs = null;
            resolver.wake();
        }
    }

    /** Reads manifests on its own thread, because that may take long. */
    private void resolve() {
        List<ManifestRef> wanted = pinned;
        if (packs != null || wanted.isEmpty()) {
            return;
        }
        Set<PackId> found = union(wanted);
        synchronized (this) {
            if (pinned.equals(wanted)) {
                packs = found;
            }
        }
    }

    private Set<PackId> union(List<ManifestRef> refs) {
        Set<PackId> union = new HashSet<>();
        refs.forEach(ref -> union.addAll(versions.packs(ref)));
        return Set.copyOf(union);
    }

    @Override
    public void close() {
        resolver.interrupt();
    }
}
