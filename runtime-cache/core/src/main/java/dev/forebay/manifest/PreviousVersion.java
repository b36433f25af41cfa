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
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The packs of the version before, whose places unchanged objects keep. */
final class PreviousVersion {

    /** Stands for a directory that the version before does not have. */
    static final long NO_DIRECTORY = 0;

    private final @Nullable Manifest manifest;
    private final List<Pack> packs;

    /** Of the packs that keep their place. */
    private final Map<PackId, Integer> ordinals = new HashMap<>();

    private final BitSet used = new BitSet();
    private long unchanged;
    private long changed;

    /**
     * A version of another bucket has nothing to reuse.
     *
     * @param packBytes how large a new pack may become
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

    /**
     * The place of the very same object in the version before, if it had it, it has bytes, and it
     * keeps its place.
     */
    Optional<Place> place(long parent, String name, LakeObject object) {
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
        return Optional.of(new Place(ordinal, file.packOffset()));
    }

    private static boolean isSame(Node.File file, LakeObject object) {
        return file.key().equals(object.key())
                && file.size() == object.size()
                && file.etag().equals(object.etag())
                && Objects.equals(file.versionId(), object.versionId());
    }

    /**
     * How what was asked for differs from the version before.
     *
     * @param objects how many were asked for
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
