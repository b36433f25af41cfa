package dev.forebay.agent;

import dev.forebay.manifest.ManifestCache;
import dev.forebay.membership.Mount;
import dev.forebay.membership.RegionView;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ManifestRef;
import dev.forebay.placement.WorkerNode;
import dev.forebay.service.gateway.RegionSurvey;
import dev.forebay.service.gateway.RegionSurvey.Missing;
import dev.forebay.service.gateway.RegionSurvey.Resident;
import dev.forebay.service.gateway.SurveyRequest;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Looks at the region, and changes nothing there. Safe for use by many threads. */
@Singleton
class Survey {

    private final Workers workers;
    private final Holdings holdings;
    private final Rooms rooms;
    private final FillRate rate;

    Survey(Workers workers, ManifestCache manifests, FillRate rate) {
        this.workers = workers;
        this.holdings = new Holdings(workers, manifests);
        this.rooms = new Rooms(manifests);
        this.rate = rate;
    }

    /**
     * What there is of a version, and room for it.
     *
     * @throws dev.forebay.model.ForebayException {@code UNAVAILABLE} if etcd was never reached; as
     *     {@link ManifestCache#open}
     */
    RegionSurvey of(SurveyRequest request) {
        DatasetVersion version = DatasetVersion.parse(request.version());
        ManifestRef manifest = request.manifest();
        RegionView view = workers.view();
        List<Mount> mounts = view.mounts();
        OptionalLong measured = rate.bytesPerSecond();
        return new RegionSurvey(
                view.workers().stream().mapToLong(WorkerNode::capacityBytes).sum(),
                rooms.of(mounts),
                manifest == null ? null : rooms.more(version.dataset(), manifest, mounts),
                missing(version, manifest, mounts),
                measured.isPresent() ? measured.getAsLong() : null,
                mounts.stream()
                        .filter(mount -> !mount.version().equals(version))
                        .map(mount -> resident(mount, view))
                        .toList());
    }

    private @Nullable Missing missing(
            DatasetVersion version, @Nullable ManifestRef manifest, List<Mount> mounts) {
        return manifest == null ? null : holdings.missing(version.dataset(), manifest, mounts);
    }

    private static Resident resident(Mount mount, RegionView view) {
        return new Resident(
                mount.version().toString(),
                mount.manifest().bytes(),
                mount.manifest().objects(),
                mount.manifest().roomBytes(),
                mount.state().name(),
                (int)
                        view.pins().stream()
                                .filter(pin -> pin.version().equals(mount.version()))
                                .count());
    }
}
