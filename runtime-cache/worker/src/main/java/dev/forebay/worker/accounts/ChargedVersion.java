package dev.forebay.worker.accounts;

import dev.forebay.membership.Mount;
import dev.forebay.membership.RegionView;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.worker.retention.MountedVersions;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Selects the version to charge among the mounted versions with the same manifest. Prefers one that
 * is being filled, then a cached one. One that is being evicted comes last. Guarded by {@link
 * VersionAccounts}.
 */
final class ChargedVersion {

    private static final Comparator<Mount> FIRST_PAYS = Comparator.comparing(ChargedVersion::order);

    private final MountedVersions versions;
    private final Map<Digest, DatasetVersion> payers = new HashMap<>();

    ChargedVersion(MountedVersions versions) {
        this.versions = versions;
    }

    private static int order(Mount mount) {
        return switch (mount.state()) {
            case WARMING -> 0;
            case CACHED -> 1;
            case UNKNOWN -> 2;
            case EVICTING -> 3;
        };
    }

    void update(RegionView view) {
        payers.clear();
        view.mounts().stream()
                .sorted(FIRST_PAYS)
                .forEach(mount -> payers.putIfAbsent(mount.manifest().digest(), mount.version()));
    }

    /** Returns the manifests that were mounted at the last update. */
    Set<Digest> manifests() {
        return Collections.unmodifiableSet(payers.keySet());
    }

    /** Returns the version to charge for a manifest, or empty if no version with it is mounted. */
    Optional<DatasetVersion> of(Digest manifest) {
        return Optional.ofNullable(payers.get(manifest))
                // A read may know of a mount before update() does.
                .or(
                        () ->
                                versions.view().mounts().stream()
                                        .filter(mount -> mount.manifest().digest().equals(manifest))
                                        .min(FIRST_PAYS)
                                        .map(Mount::version));
    }
}
