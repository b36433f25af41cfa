package dev.forebay.manifest;

import dev.forebay.lake.LakeObject;
import dev.forebay.model.PackId;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The packs of the version before, whose places unchanged objects keep. */
final class PreviousVersion {

    /** Stands for a directory that the version before does not have. */
    static final long NO_DIRECTORY = 0;

    private final @Nullable Manifest manifest;
    private final List<Pack> packs;
    private final Map<PackId, Integer> ordinals = new HashMap<>();
    private final BitSet used = new BitSet();

    /** A version of another bucket has nothing to reuse. */
    PreviousVersion(@Nullable Manifest previous, String bucket) {
        manifest = previous != null && previous.bucket().equals(bucket) ? previous : null;
        packs = manifest == null ? List.of() : manifest.packs();
        for (Pack pack : packs) {
            ordinals.put(pack.id(), ordinals.size());
        }
    }

    /** How many ordinals the packs of the version before may take. */
    int packCount() {
        return packs.size();
    }

    long root() {
        return manifest == null ? NO_DIRECTORY : Node.ROOT_ID;
    }

    long directory(long parent, String name) {
        return lookup(parent, name).orElse(null) instanceof Node.Directory directory
                ? directory.id()
                : NO_DIRECTORY;
    }

    /** The place of the very same object in the version before, if it had it. */
    Optional<Place> place(long parent, String name, LakeObject object) {
        if (lookup(parent, name).orElse(null) instanceof Node.File file
                && file.key().equals(object.key())
                && file.size() == object.size()
                && file.etag().equals(object.etag())
                && Objects.equals(file.versionId(), object.versionId())) {
            Integer ordinal = ordinals.get(file.pack());
            if (ordinal != null) {
                used.set(ordinal);
                return Optional.of(new Place(ordinal, file.packOffset()));
            }
        }
        return Optional.empty();
    }

    /** The packs that {@link #place} answered with, in order. */
    List<LaidPack> usedPacks() {
        List<LaidPack> laid = new ArrayList<>();
        used.stream()
                .forEach(
                        ordinal -> {
                            Pack pack = packs.get(ordinal);
                            laid.add(new LaidPack(ordinal, pack.id(), pack.bytes()));
                        });
        return laid;
    }

    private Optional<Node> lookup(long parent, String name) {
        return manifest == null || parent == NO_DIRECTORY
                ? Optional.empty()
                : manifest.lookup(parent, name);
    }
}
