package dev.forebay.worker.retention;

import dev.forebay.membership.Mount;
import dev.forebay.membership.Pin;
import dev.forebay.membership.RegionView;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ManifestRef;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Whether a manifest's chunks may be dropped, and for whose sake some are kept: a pure function of
 * the region's state.
 *
 * <p>The worker decides this from its own view and not on the caller's word, so that a pinned
 * version stays even when whoever evicts is wrong.
 */
final class DropRule {

    private DropRule() {}

    /**
     * The manifests whose packs must be kept: those of every version that stays.
     *
     * @throws ForebayException {@code PINNED} if a pin lives on a version with this manifest and no
     *     other version with it is being evicted, {@code UNAVAILABLE} if this worker has not seen
     *     yet that one is, or a row that it does not understand may claim the chunks, {@code
     *     NOT_FOUND} if none is mounted
     */
    static List<ManifestRef> keep(RegionView view, Digest digest) {
        List<Mount> concerned =
                view.mounts().stream()
                        .filter(mount -> mount.manifest().digest().equals(digest))
                        .toList();
        if (concerned.isEmpty()) {
            throw new ForebayException(
                    ErrorCode.NOT_FOUND,
                    "no version with manifest %s is mounted in this region".formatted(digest));
        }
        if (leaving(view, digest).isEmpty()) {
            throw refusal(view, concerned);
        }
        if (view.hidesClaims()) {
            throw new ForebayException(
                    ErrorCode.UNAVAILABLE,
                    "this worker drops nothing, as it does not understand etcd key %s of a later release: upgrade it"
                            .formatted(view.hiddenClaims().getFirst()));
        }
        Set<DatasetVersion> pinned = pinned(view);
        return view.mounts().stream()
                .filter(mount -> !evicting(mount) || pinned.contains(mount.version()))
                .map(Mount::manifest)
                .distinct()
                .toList();
    }

    /** The versions with this manifest that are being evicted and that no pin lives on. */
    static List<DatasetVersion> leaving(RegionView view, Digest digest) {
        Set<DatasetVersion> pinned = pinned(view);
        return view.mounts().stream()
                .filter(mount -> mount.manifest().digest().equals(digest))
                .filter(DropRule::evicting)
                .map(Mount::version)
                .filter(version -> !pinned.contains(version))
                .toList();
    }

    private static Set<DatasetVersion> pinned(RegionView view) {
        return view.pins().stream().map(Pin::version).collect(Collectors.toSet());
    }

    /** The manifest's reference in the mount table. */
    static ManifestRef reference(RegionView view, Digest digest) {
        return view.mounts().stream()
                .map(Mount::manifest)
                .filter(ref -> ref.digest().equals(digest))
                .findFirst()
                .orElseThrow();
    }

    private static ForebayException refusal(RegionView view, List<Mount> concerned) {
        Set<DatasetVersion> versions =
                concerned.stream().map(Mount::version).collect(Collectors.toSet());
        String holders =
                view.pins().stream()
                        .filter(pin -> versions.contains(pin.version()))
                        .limit(3)
                        .map(pin -> "%s by %s".formatted(pin.version(), pin.holder()))
                        .collect(Collectors.joining(", "));
        return holders.isEmpty()
                ? new ForebayException(
                        ErrorCode.UNAVAILABLE,
                        "this worker has not seen %s begin to be evicted; try again"
                                .formatted(concerned.getFirst().version()))
                : new ForebayException(ErrorCode.PINNED, "pinned: " + holders);
    }

    private static boolean evicting(Mount mount) {
        return mount.state() == Mount.State.EVICTING;
    }
}
