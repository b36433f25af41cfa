package dev.forebay.agent.capacity;

import dev.forebay.membership.Applicant;
import dev.forebay.membership.Gatekeeper;
import dev.forebay.membership.Mount;
import dev.forebay.membership.Pin;
import dev.forebay.membership.RegionView;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.message.Urgency;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The admission rule of a region. It admits a version if the region has space, the namespace's
 * quota allows it, and no version before it waits. A mounted version holds its space, whether it is
 * filled or not.
 *
 * @param hadBytes the capacity that the region's workers have together, or had recently
 * @param quotaBytes the quota of the version's namespace here; unlimited if empty
 * @param since when the version first claimed space, if it is not in the queue yet
 */
public record AdmissionRule(
        SpaceCalculator rooms,
        RegionName region,
        long hadBytes,
        DatasetVersion version,
        ManifestRef manifest,
        Urgency urgency,
        @Nullable Long quotaBytes,
        Instant since)
        implements Gatekeeper {

    /**
     * Reads the manifests that {@link #judge} needs, because {@code judge} runs between two calls
     * of etcd.
     */
    public void prepare(RegionView view) {
        rooms.of(view.mounts());
        rooms.more(manifest, view.mounts());
        rooms.of(namespace(), view.mounts());
        rooms.more(namespace(), manifest, view.mounts());
    }

    @Override
    public Optional<Applicant> judge(RegionView view) {
        long capacity = RecentCapacity.of(view);
        if (capacity == 0) {
            throw new ForebayException(
                    ErrorCode.UNAVAILABLE,
                    "no worker is registered in %s: 'forebay regions' shows them when they have started"
                            .formatted(region));
        }
        long needed = rooms.more(manifest, view.mounts());
        if (needed > 0) {
            refuseMoreThan(mostLately(view));
        }
        Optional<Applicant> overQuota = lackOfQuota(needed, view);
        if (needed == 0 || overQuota.isPresent()) {
            return overQuota;
        }
        return lackOfWorkers(needed, capacity, view)
                .or(() -> turn(needed, view))
                .or(() -> lackOfRoom(needed, capacity, view));
    }

    private long mostLately(RegionView view) {
        return Math.max(hadBytes, RecentCapacity.known(view));
    }

    private void refuseMoreThan(long capacity) {
        if (manifest.roomBytes() > capacity) {
            throw new ForebayException(
                    ErrorCode.TOO_LARGE,
                    String.format(
                            Locale.ROOT,
                            "%s takes %,d bytes, the chunk stores of %s together have %,d: add workers, or raise forebay.worker.capacity",
                            version,
                            manifest.roomBytes(),
                            region,
                            capacity));
        }
    }

    /**
     * Counts chunks that only other namespaces have mounted, too. They need no more space but count
     * against the quota.
     */
    private Optional<Applicant> lackOfQuota(long needed, RegionView view) {
        if (quotaBytes == null) {
            return Optional.empty();
        }
        long counted = rooms.more(namespace(), manifest, view.mounts());
        if (counted == 0) {
            return Optional.empty();
        }
        if (manifest.roomBytes() > quotaBytes) {
            throw new ForebayException(
                    ErrorCode.TOO_LARGE,
                    String.format(
                            Locale.ROOT,
                            "%s takes %,d bytes, the quota of namespace %s in %s is %,d: '%s' gives it enough",
                            version,
                            manifest.roomBytes(),
                            namespace(),
                            region,
                            quotaBytes,
                            quotaOf(manifest.roomBytes())));
        }
        long taken = rooms.of(namespace(), view.mounts());
        return taken + counted <= quotaBytes
                ? Optional.empty()
                : Optional.of(
                        waiting(
                                needed,
                                view,
                                true,
                                String.format(
                                        Locale.ROOT,
                                        "namespace %s has %,d of the %,d bytes of its quota in %s, %s needs %,d: '%s' gives it enough",
                                        namespace(),
                                        taken,
                                        quotaBytes,
                                        region,
                                        version,
                                        counted,
                                        quotaOf(taken + counted))));
    }

    private String quotaOf(long bytes) {
        return "forebay quota %s %d --region %s".formatted(namespace(), bytes, region);
    }

    /**
     * Returns whether evictions could let the version in: it is next, and the versions without a
     * pin take at least as much space as it lacks. Always false for a speculative version. Only
     * versions whose time to live has ended are evicted for one, and the region does not know that
     * time.
     */
    public boolean evictionsCouldHelp(RegionView view) {
        if (urgency == Urgency.SPECULATIVE) {
            return false;
        }
        long needed = rooms.more(manifest, view.mounts());
        List<Mount> free = free(view);
        if (quotaBytes != null && lackOfQuota(needed, view).isPresent()) {
            long lack =
                    rooms.of(namespace(), view.mounts())
                            + rooms.more(namespace(), manifest, view.mounts())
                            - quotaBytes;
            return lack <= most(free.stream().filter(this::isOfNamespace));
        }
        long capacity = RecentCapacity.of(view);
        return lackOfWorkers(needed, capacity, view).isEmpty()
                && turn(needed, view).isEmpty()
                && rooms.of(view.mounts()) + needed - capacity <= most(free.stream());
    }

    private boolean isOfNamespace(Mount mount) {
        return mount.version().dataset().namespace().equals(namespace());
    }

    private List<Mount> free(RegionView view) {
        Set<DatasetVersion> held =
                view.pins().stream().map(Pin::version).collect(Collectors.toSet());
        return view.mounts().stream()
                .filter(mount -> mount.state() == Mount.State.CACHED)
                .filter(mount -> !held.contains(mount.version()))
                .toList();
    }

    /**
     * Returns at least the space that evicting these would free. Shared chunks count several times.
     */
    private static long most(Stream<Mount> going) {
        return going.map(Mount::manifest).distinct().mapToLong(ManifestRef::roomBytes).sum();
    }

    /** Lets later versions pass, because workers that are away may never return. */
    private Optional<Applicant> lackOfWorkers(long needed, long capacity, RegionView view) {
        return manifest.roomBytes() <= capacity
                ? Optional.empty()
                : Optional.of(
                        waiting(
                                needed,
                                view,
                                true,
                                view.hidesWorkers()
                                        ? String.format(
                                                Locale.ROOT,
                                                "%s takes %,d bytes, the workers of %s that this agent understands have %,d: upgrade it",
                                                version,
                                                manifest.roomBytes(),
                                                region,
                                                capacity)
                                        : String.format(
                                                Locale.ROOT,
                                                "%s takes %,d bytes, and of workers of %s that together had %,d lately some are away: the others have %,d; 'forebay regions' counts them",
                                                version,
                                                manifest.roomBytes(),
                                                region,
                                                mostLately(view),
                                                capacity)));
    }

    /**
     * Puts every earlier version first, even if only this one would fit. Small versions cannot
     * starve a large one.
     */
    private Optional<Applicant> turn(long needed, RegionView view) {
        Applicant self = waiting(needed, view, false, "");
        List<Applicant> all =
                Stream.concat(
                                view.queue().stream()
                                        .filter(other -> !other.version().equals(version))
                                        .filter(other -> !other.steppedAside()),
                                Stream.of(self))
                        .toList();
        List<Applicant> ordered = Applicant.inOrder(all, each -> rooms.of(each, view.mounts()));
        int before = ordered.indexOf(self);
        return before == 0
                ? Optional.empty()
                : Optional.of(
                        waiting(
                                needed,
                                view,
                                false,
                                String.format(
                                        Locale.ROOT,
                                        "number %d of %d in the queue of %s, behind %s; 'forebay queue --region %s' lists it",
                                        before + 1,
                                        ordered.size(),
                                        region,
                                        ordered.get(before - 1).version(),
                                        region)));
    }

    private Optional<Applicant> lackOfRoom(long needed, long capacity, RegionView view) {
        long taken = rooms.of(view.mounts());
        return taken + needed <= capacity
                ? Optional.empty()
                : Optional.of(
                        waiting(
                                needed,
                                view,
                                false,
                                String.format(
                                        Locale.ROOT,
                                        "first in the queue of %s: it needs %,d bytes, and %,d of %,d are taken; 'forebay pins --region %s' lists what may not go",
                                        region,
                                        needed,
                                        taken,
                                        capacity,
                                        region)));
    }

    private Applicant waiting(long needed, RegionView view, boolean steppedAside, String reason) {
        Instant begun =
                view.queue().stream()
                        .filter(other -> other.version().equals(version))
                        .map(Applicant::since)
                        .findFirst()
                        .orElse(since);
        return new Applicant(version, manifest, needed, rank(urgency), begun, steppedAside, reason);
    }

    /** Returns the rank in the queue: a lower one goes first. */
    static int rank(Urgency urgency) {
        return switch (urgency) {
            case INTERACTIVE -> 0;
            case SPECULATIVE -> 1;
        };
    }

    private String namespace() {
        return version.dataset().namespace();
    }
}
