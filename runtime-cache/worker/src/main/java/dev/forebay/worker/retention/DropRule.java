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
 * Decides whether a manifest's chunks may be dropped, and which versions keep some of them. A pure
 * function of the region's state.
 *
 * <p>The worker decides by its own view of etcd and not by the request. A pinned version therefore
 * stays even if the caller is wrong.
 */
final class DropRule {

    private DropRule() {}

    /**
     * Returns the manifests of all versions that remain. Their chunks must be kept.
     *
     * @throws ForebayException {@code NOT_FOUND} if no version with this manifest is mounted.
     *     {@code PINNED} if a pin protects one and no other version with it is being evicted.
     *     {@code UNAVAILABLE} if this worker has not seen the eviction yet, or if a row of a later
     *     release may claim the chunks.
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
                    "this worker drops nothing, because it cannot read etcd key %s of a later release: upgrade it"
                            .formatted(view.hiddenClaims().getFirst()));
        }
        Set<DatasetVersion> pinned = pinned(view);
        return view.mounts().stream()
                .filter(mount -> !evicting(mount) || pinned.contains(mount.version()))
                .map(Mount::manifest)
                .distinct()
                .toList();
    }

    /** Returns the versions with this manifest that are being evicted and have no pin. */
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

    /** Returns the manifest's reference in the mount table. */
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
                        "this worker has not seen the eviction of %s start: retry"
                                .formatted(concerned.getFirst().version()))
                : new ForebayException(
                        ErrorCode.PINNED,
                        "this worker drops nothing, because of pins: %s. 'forebay pins' lists them"
                                .formatted(holders));
    }

    private static boolean evicting(Mount mount) {
        return mount.state() == Mount.State.EVICTING;
    }
}
