package dev.forebay.agent.capacity;

import dev.forebay.membership.Mount;
import dev.forebay.membership.MountAdmission;
import dev.forebay.membership.Pin;
import dev.forebay.membership.QueuedVersion;
import dev.forebay.membership.RegionView;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.RegionName;
import dev.forebay.service.space.EvictionCandidate;
import dev.forebay.service.space.EvictionCandidate.Kind;
import dev.forebay.service.space.SpaceReservation;
import dev.forebay.service.space.SpaceReservation.Admission;
import dev.forebay.service.space.SpaceReservation.Decision;
import dev.forebay.service.space.SpaceReservation.Limit;
import dev.forebay.service.space.UsedSpace;
import dev.forebay.workflows.message.Problem;
import dev.forebay.workflows.message.Urgency;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a version may enter a region now. Applies {@link SpaceReservation} to the state
 * of the region's etcd, and queues a version that must wait.
 *
 * @param hadBytes the capacity that the region's workers have together, or had recently, in bytes
 * @param quotaBytes the quota of the version's namespace here, in bytes; null if it has no limit
 * @param since when the version first claimed space, if it is not in the queue yet
 */
public record AdmissionRule(
        SpaceCalculator space,
        RegionName region,
        long hadBytes,
        DatasetVersion version,
        ManifestRef manifest,
        Urgency urgency,
        @Nullable Long quotaBytes,
        Instant since)
        implements MountAdmission {

    /**
     * Reads the manifests that {@link #judge} needs. Call it first, so that {@code judge} does not
     * fetch them within the timeout of a call to etcd.
     */
    public void prepare(RegionView view) {
        decide(reservation(view), view);
    }

    @Override
    public Optional<QueuedVersion> judge(RegionView view) {
        SpaceReservation reservation = reservation(view);
        Decision decision = decide(reservation, view);
        Problem problem = decision.problem();
        if (problem == null) {
            return Optional.empty();
        }
        if (decision.admission() == Admission.REFUSED || problem.code() == ErrorCode.UNAVAILABLE) {
            throw new ForebayException(problem.code(), problem.message());
        }
        return Optional.of(
                waiting(
                        view,
                        reservation.stores().neededBytes(),
                        decision.steppedAside(),
                        problem.message()));
    }

    /**
     * Returns whether evictions could let the version in. Always false for a speculative version.
     * Only versions whose time to live has ended are evicted for one, and the region does not know
     * that time.
     */
    public boolean evictionsCouldHelp(RegionView view) {
        return !decide(reservation(view), view).victims().isEmpty();
    }

    private SpaceReservation reservation(RegionView view) {
        return new SpaceReservation(
                version,
                region,
                urgency,
                manifest.spaceBytes(),
                new Limit(
                        RecentCapacity.of(view),
                        Math.max(hadBytes, RecentCapacity.known(view)),
                        space.of(view.mounts()),
                        space.more(manifest, view.mounts())),
                quotaBytes == null
                        ? null
                        : new Limit(
                                quotaBytes,
                                quotaBytes,
                                space.of(namespace(), view.mounts()),
                                space.more(namespace(), manifest, view.mounts())),
                queue(view));
    }

    private Decision decide(SpaceReservation reservation, RegionView view) {
        return reservation.decide(() -> taken(view));
    }

    /**
     * Returns the versions in the region, without their value, which only the control plane knows.
     */
    private UsedSpace taken(RegionView view) {
        Set<DatasetVersion> held =
                view.pins().stream().map(Pin::version).collect(Collectors.toSet());
        Map<DatasetVersion, ManifestRef> versions = new LinkedHashMap<>();
        view.mounts().forEach(mount -> versions.put(mount.version(), mount.manifest()));
        versions.put(version, manifest);
        return new UsedSpace(
                view.mounts().stream()
                        .filter(mount -> !mount.version().equals(version))
                        .map(mount -> candidate(mount, held.contains(mount.version())))
                        .toList(),
                space.shares(versions));
    }

    private static EvictionCandidate candidate(Mount mount, boolean pinned) {
        return EvictionCandidate.unrated(mount.version(), Kind.of(mount.state().name(), pinned));
    }

    /** Returns the queue with this version, without versions that stepped aside. */
    private List<DatasetVersion> queue(RegionView view) {
        List<QueuedVersion> all =
                Stream.concat(
                                view.queue().stream()
                                        .filter(other -> !other.version().equals(version))
                                        .filter(other -> !other.steppedAside()),
                                Stream.of(waiting(view, 0, false, "")))
                        .toList();
        return QueuedVersion.inOrder(all, each -> space.of(each, view.mounts())).stream()
                .map(QueuedVersion::version)
                .toList();
    }

    private QueuedVersion waiting(
            RegionView view, long neededBytes, boolean steppedAside, String reason) {
        Instant begun =
                view.queue().stream()
                        .filter(other -> other.version().equals(version))
                        .map(QueuedVersion::since)
                        .findFirst()
                        .orElse(since);
        return new QueuedVersion(
                version, manifest, neededBytes, rank(urgency), begun, steppedAside, reason);
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
