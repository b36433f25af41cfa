package dev.forebay.agent;

import dev.forebay.manifest.ManifestCache;
import dev.forebay.membership.Applicant;
import dev.forebay.membership.Mount;
import dev.forebay.membership.RegionView;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ManifestRef;
import dev.forebay.placement.WorkerNode;
import dev.forebay.service.gateway.RegionSurvey;
import dev.forebay.service.gateway.RegionSurvey.Missing;
import dev.forebay.service.gateway.RegionSurvey.Queued;
import dev.forebay.service.gateway.RegionSurvey.Resident;
import dev.forebay.service.gateway.SurveyRequest;
import dev.forebay.workflows.message.Urgency;
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
            return survey(view, version, null, null);
        }
        return survey(
                view,
                version,
                rooms.more(version.dataset(), manifest, view.mounts()),
                request.roomOnly()
                        ? null
                        : holdings.missing(version.dataset(), manifest, view.mounts()));
    }

    private RegionSurvey survey(
            RegionView view,
            @Nullable DatasetVersion version,
            @Nullable Long needed,
            @Nullable Missing missing) {
        OptionalLong measured = rate.bytesPerSecond();
        return new RegionSurvey(
                view.workers().stream().mapToLong(WorkerNode::capacityBytes).sum(),
                rooms.of(view.mounts()),
                version == null ? null : rooms.of(version.dataset().namespace(), view.mounts()),
                needed,
                missing,
                measured.isPresent() ? measured.getAsLong() : null,
                view.mounts().stream()
                        .filter(mount -> !mount.version().equals(version))
                        .map(mount -> resident(mount, view))
                        .toList(),
                queue(view));
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
