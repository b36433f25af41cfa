package dev.forebay.manifest.write;

import dev.forebay.lake.LakeObject;
import dev.forebay.manifest.Comparison;
import dev.forebay.manifest.Manifest;
import dev.forebay.manifest.Node;
import dev.forebay.manifest.Pack;
import dev.forebay.manifest.PackPosition;
import dev.forebay.manifest.PackRow;
import dev.forebay.model.PackId;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds the places of unchanged objects in the packs of the previous version, so that the new
 * version keeps them.
 */
final class PreviousVersion {

    /** Stands for a directory that the previous version does not have. */
    static final long NO_DIRECTORY = 0;

    private final @Nullable Manifest manifest;
    private final List<Pack> packs;

    /** Ordinals of the packs that are not merged. */
    private final Map<PackId, Integer> ordinals = new HashMap<>();

    private final BitSet used = new BitSet();
    private long unchanged;
    private long changed;

    /**
     * Reads the packs of the previous version. A version of another bucket has nothing to reuse.
     *
     * @param packBytes the maximum size of a new pack
     */
    PreviousVersion(@Nullable Manifest previous, String bucket, long packBytes) {
        manifest = previous != null && previous.bucket().equals(bucket) ? previous : null;
        packs = manifest == null ? List.of() : manifest.packs();
        Set<PackId> merged = manifest == null ? Set.of() : SmallPacks.toMerge(manifest, packBytes);
        for (int i = 0; i < packs.size(); i++) {
            if (!merged.contains(packs.get(i).id())) {
                ordinals.put(packs.get(i).id(), i);
            }
        }
    }

    /** Returns how many ordinals the packs of the previous version may take. */
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

    /**
     * Returns the place of the same object in the previous version. Empty if that version did not
     * have it, if it has no bytes, or if its pack is merged.
     */
    Optional<PackPosition> place(long parent, String name, LakeObject object) {
        if (!(lookup(parent, name).orElse(null) instanceof Node.File file)) {
            return Optional.empty();
        }
        if (!isSame(file, object)) {
            changed++;
            return Optional.empty();
        }
        unchanged++;
        Integer ordinal = object.size() == 0 ? null : ordinals.get(file.pack());
        if (ordinal == null) {
            return Optional.empty();
        }
        used.set(ordinal);
        return Optional.of(new PackPosition(ordinal, file.packOffset()));
    }

    private static boolean isSame(Node.File file, LakeObject object) {
        return file.key().equals(object.key())
                && file.size() == object.size()
                && file.etag().equals(object.etag())
                && Objects.equals(file.versionId(), object.versionId());
    }

    /**
     * Compares the objects that were looked up with the previous version.
     *
     * @param objects how many objects were looked up
     */
    Comparison comparison(long objects, long newBytes) {
        long before = manifest == null ? 0 : manifest.objects();
        return new Comparison(
                unchanged,
                changed,
                objects - unchanged - changed,
                before - unchanged - changed,
                newBytes);
    }

    /** Returns the packs of all places that {@link #place} returned, in order. */
    List<PackRow> usedPacks() {
        List<PackRow> laid = new ArrayList<>();
        used.stream()
                .forEach(
                        ordinal -> {
                            Pack pack = packs.get(ordinal);
                            laid.add(new PackRow(ordinal, pack.id(), pack.bytes()));
                        });
        return laid;
    }

    private Optional<Node> lookup(long parent, String name) {
        return manifest == null || parent == NO_DIRECTORY
                ? Optional.empty()
                : manifest.lookup(parent, name);
    }
}
