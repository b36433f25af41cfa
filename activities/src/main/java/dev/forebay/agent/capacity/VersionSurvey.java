package dev.forebay.agent.capacity;

import dev.forebay.agent.fill.FillRate;
import dev.forebay.agent.workers.Workers;
import dev.forebay.manifest.cache.ManifestCache;
import dev.forebay.membership.Mount;
import dev.forebay.membership.QueuedVersion;
import dev.forebay.membership.RegionView;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ManifestRef;
import dev.forebay.service.gateway.RegionSurvey;
import dev.forebay.service.gateway.RegionSurvey.Missing;
import dev.forebay.service.gateway.RegionSurvey.Queued;
import dev.forebay.service.gateway.RegionSurvey.Relatives;
import dev.forebay.service.gateway.RegionSurvey.Resident;
import dev.forebay.service.gateway.RegionSurvey.Share;
import dev.forebay.service.gateway.SurveyRequest;
import dev.forebay.workflows.message.Urgency;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reports the space and the missing bytes of a version in the region. Changes nothing. Safe for use
 * by many threads.
 */
@Singleton
public class VersionSurvey {

    private final Workers workers;
    private final MissingRanges missingRanges;
    private final SpaceCalculator space;
    private final FillRate rate;

    VersionSurvey(Workers workers, ManifestCache manifests, SpaceCalculator space, FillRate rate) {
        this.workers = workers;
        this.missingRanges = new MissingRanges(workers, manifests);
        this.space = space;
        this.rate = rate;
    }

    /**
     * Returns the space and the missing bytes of a version in the region, and the region's queue.
     *
     * @throws dev.forebay.model.ForebayException {@code UNAVAILABLE} if etcd was never reached; as
     *     {@link ManifestCache#open}
     */
    public RegionSurvey of(SurveyRequest request) {
        RegionView view = workers.view();
        String name = request.version();
        DatasetVersion version = name == null ? null : DatasetVersion.parse(name);
        ManifestRef manifest = request.manifest();
        if (version == null || manifest == null) {
            return survey(view, version, null, null);
        }
        return survey(
                view, version, manifest, request.spaceOnly() ? null : missing(manifest, view));
    }

    private Missing missing(ManifestRef manifest, RegionView view) {
        List<ManifestRef> there = view.mounts().stream().map(Mount::manifest).distinct().toList();
        Set<ManifestRef> family = space.family(manifest, Set.copyOf(there));
        return missingRanges.missing(manifest, there.stream().filter(family::contains).toList());
    }

    private RegionSurvey survey(
            RegionView view,
            @Nullable DatasetVersion version,
            @Nullable ManifestRef manifest,
            @Nullable Missing missing) {
        String namespace = version == null ? null : version.dataset().namespace();
        Long needed = manifest == null ? null : space.more(manifest, view.mounts());
        Long counted =
                manifest == null || namespace == null
                        ? null
                        : space.more(namespace, manifest, view.mounts());
        return new RegionSurvey(
                RecentCapacity.of(view),
                RecentCapacity.known(view),
                space.of(view.mounts()),
                namespace == null ? null : space.of(namespace, view.mounts()),
                needed,
                counted,
                missing,
                rate.speed(),
                view.mounts().stream()
                        .filter(mount -> !mount.version().equals(version))
                        .map(mount -> resident(mount, view))
                        .toList(),
                queue(view),
                // A version that needs no more space needs no evictions.
                isZero(needed) && isZero(counted) ? List.of() : relatives(view, version, manifest));
    }

    private static boolean isZero(@Nullable Long bytes) {
        return bytes != null && bytes == 0;
    }

    /** Returns each family with several versions that are mounted here or requested. */
    private List<Relatives> relatives(
            RegionView view, @Nullable DatasetVersion version, @Nullable ManifestRef manifest) {
        Map<DatasetVersion, ManifestRef> versions = new LinkedHashMap<>();
        view.mounts().forEach(mount -> versions.put(mount.version(), mount.manifest()));
        if (version != null && manifest != null) {
            versions.putIfAbsent(version, manifest);
        }
        return space.families(Set.copyOf(versions.values())).stream()
                .map(family -> among(versions, family))
                .filter(related -> related.size() > 1)
                .map(this::relatives)
                .toList();
    }

    private static Map<DatasetVersion, ManifestRef> among(
            Map<DatasetVersion, ManifestRef> versions, Set<ManifestRef> family) {
        Map<DatasetVersion, ManifestRef> related = new LinkedHashMap<>(versions);
        related.values().retainAll(family);
        return related;
    }

    private Relatives relatives(Map<DatasetVersion, ManifestRef> versions) {
        List<DatasetVersion> names = List.copyOf(versions.keySet());
        Map<DatasetVersion, Integer> places = new HashMap<>();
        names.forEach(name -> places.put(name, places.size()));
        return new Relatives(
                names.stream().map(DatasetVersion::toString).toList(),
                space.shares(versions).stream()
                        .map(
                                share ->
                                        new Share(
                                                share.bytes(),
                                                share.owners().stream()
                                                        .map(places::get)
                                                        .sorted()
                                                        .toList()))
                        .toList());
    }

    private List<Queued> queue(RegionView view) {
        List<Queued> queue = new ArrayList<>();
        Set<ManifestRef> there =
                view.mounts().stream()
                        .map(Mount::manifest)
                        .collect(Collectors.toCollection(HashSet::new));
        for (QueuedVersion each :
                QueuedVersion.inOrder(view.queue(), name -> space.of(name, view.mounts()))) {
            queue.add(queued(each, space.more(each.manifest(), there)));
            // Versions behind it in the queue share space with it, too.
            if (!each.steppedAside()) {
                there.add(each.manifest());
            }
        }
        return queue;
    }

    private static Queued queued(QueuedVersion queued, long bytes) {
        return new Queued(
                queued.version().toString(),
                bytes,
                queued.rank() == AdmissionRule.rank(Urgency.INTERACTIVE),
                queued.since(),
                queued.steppedAside(),
                queued.reason());
    }

    private Resident resident(Mount mount, RegionView view) {
        return new Resident(
                mount.version().toString(),
                mount.manifest().bytes(),
                mount.manifest().objects(),
                space.shared(Set.of(mount.manifest())).bytes(),
                mount.state().name(),
                (int)
                        view.pins().stream()
                                .filter(pin -> pin.version().equals(mount.version()))
                                .count());
    }
}
