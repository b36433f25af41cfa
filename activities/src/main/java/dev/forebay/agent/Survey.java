package dev.forebay.agent;

import dev.forebay.manifest.ManifestCache;
import dev.forebay.membership.Applicant;
import dev.forebay.membership.Mount;
import dev.forebay.membership.RegionView;
import dev.forebay.model.DatasetName;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ManifestRef;
import dev.forebay.placement.WorkerNode;
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
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Looks at the region, and changes nothing there. Safe for use by many threads. */
@Singleton
class Survey {

    private static final Comparator<DatasetName> BY_NAME =
            Comparator.comparing(DatasetName::toString);

    private final Workers workers;
    private final Holdings holdings;
    private final Rooms rooms;
    private final FillRate rate;

    Survey(Workers workers, ManifestCache manifests, Rooms rooms, FillRate rate) {
        this.workers = workers;
        this.holdings = new Holdings(workers, manifests);
        this.rooms = rooms;
        this.rate = rate;
    }

    /**
     * What there is of a version, and room for it.
     *
     * @throws dev.forebay.model.ForebayException {@code UNAVAILABLE} if etcd was never reached; as
     *     {@link ManifestCache#open}
     */
    RegionSurvey of(SurveyRequest request) {
        RegionView view = workers.view();
        String name = request.version();
        DatasetVersion version = name == null ? null : DatasetVersion.parse(name);
        ManifestRef manifest = request.manifest();
        if (version == null || manifest == null) {
            return survey(view, version, null, null, null);
        }
        return survey(
                view,
                version,
                manifest,
                rooms.more(version.dataset(), manifest, view.mounts()),
                request.roomOnly()
                        ? null
                        : holdings.missing(version.dataset(), manifest, view.mounts()));
    }

    private RegionSurvey survey(
            RegionView view,
            @Nullable DatasetVersion version,
            @Nullable ManifestRef manifest,
            @Nullable Long needed,
            @Nullable Missing missing) {
        return new RegionSurvey(
                view.workers().stream().mapToLong(WorkerNode::capacityBytes).sum(),
                rooms.of(view.mounts()),
                version == null ? null : rooms.of(version.dataset().namespace(), view.mounts()),
                needed,
                missing,
                rate.speed(),
                view.mounts().stream()
                        .filter(mount -> !mount.version().equals(version))
                        .map(mount -> resident(mount, view))
                        .toList(),
                queue(view),
                // Who needs no more room asks nobody to go for it.
                needed != null && needed == 0 ? List.of() : relatives(view, version, manifest));
    }

    /** Of each dataset with several versions that are here, or are to be. */
    private List<Relatives> relatives(
            RegionView view, @Nullable DatasetVersion version, @Nullable ManifestRef manifest) {
        Map<DatasetName, Map<DatasetVersion, ManifestRef>> byDataset = new TreeMap<>(BY_NAME);
        view.mounts().forEach(mount -> add(byDataset, mount.version(), mount.manifest()));
        if (version != null && manifest != null) {
            add(byDataset, version, manifest);
        }
        return byDataset.values().stream()
                .filter(versions -> versions.size() > 1)
                .map(this::relatives)
                .toList();
    }

    private static void add(
            Map<DatasetName, Map<DatasetVersion, ManifestRef>> byDataset,
            DatasetVersion version,
            ManifestRef manifest) {
        byDataset
                .computeIfAbsent(version.dataset(), _ -> new LinkedHashMap<>())
                .putIfAbsent(version, manifest);
    }

    private Relatives relatives(Map<DatasetVersion, ManifestRef> versions) {
        SharedRoom room = rooms.shared(Set.copyOf(versions.values()));
        // Several names may be of one manifest.
        Map<ManifestRef, List<Integer>> names = new HashMap<>();
        int place = 0;
        for (ManifestRef manifest : versions.values()) {
            names.computeIfAbsent(manifest, _ -> new ArrayList<>()).add(place++);
        }
        return new Relatives(
                versions.keySet().stream().map(DatasetVersion::toString).toList(),
                room.parts().stream()
                        .map(
                                part ->
                                        new Share(
                                                part.bytes(),
                                                part.owners().stream()
                                                        .mapToObj(room.versions()::get)
                                                        .flatMap(owner -> named(names, owner))
                                                        .sorted()
                                                        .toList()))
                        .toList());
    }

    private static Stream<Integer> named(Map<ManifestRef, List<Integer>> names, ManifestRef owner) {
        return names.getOrDefault(owner, List.of()).stream();
    }

    private static List<Queued> queue(RegionView view) {
        return Applicant.inOrder(view.queue(), view.mounts()).stream().map(Survey::queued).toList();
    }

    private static Queued queued(Applicant applicant) {
        return new Queued(
                applicant.version().toString(),
                applicant.bytes(),
                applicant.rank() == Doorkeeper.rank(Urgency.INTERACTIVE),
                applicant.since(),
                applicant.steppedAside(),
                applicant.reason());
    }

    private Resident resident(Mount mount, RegionView view) {
        return new Resident(
                mount.version().toString(),
                mount.manifest().bytes(),
                mount.manifest().objects(),
                rooms.shared(Set.of(mount.manifest())).bytes(),
                mount.state().name(),
                (int)
                        view.pins().stream()
                                .filter(pin -> pin.version().equals(mount.version()))
                                .count());
    }
}
