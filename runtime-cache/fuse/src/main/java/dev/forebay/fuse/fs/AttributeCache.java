package dev.forebay.fuse.fs;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.forebay.manifest.Manifest;
import dev.forebay.manifest.Node;
import dev.forebay.manifest.cache.CachedManifest;
import dev.forebay.model.ManifestRef;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Caches nodes of mounted versions, so that a walk queries the manifest once per page of a
 * directory instead of once per file. Bounded and thread-safe. Manifests never change, so entries
 * never become stale.
 */
final class AttributeCache {

    private record Named(String manifest, long parent, String name) {}

    private record Numbered(String manifest, long id) {}

    private final Manifests manifests;
    private final Cache<Named, Node> byName;
    private final Cache<Numbered, Node> byId;

    /**
     * @param limit the maximum number of cached nodes; each takes about 300 bytes
     */
    AttributeCache(Manifests manifests, int limit) {
        this.manifests = manifests;
        this.byName = Caffeine.newBuilder().maximumSize(limit).build();
        this.byId = Caffeine.newBuilder().maximumSize(limit).build();
    }

    Optional<Node> lookup(ManifestRef ref, long parent, String name) {
        Named key = new Named(ref.digest().hex(), parent, name);
        Node known = byName.getIfPresent(key);
        return known != null
                ? Optional.of(known)
                : remember(ref, parent, ask(ref, manifest -> manifest.lookup(parent, name)));
    }

    Optional<Node> node(ManifestRef ref, long id) {
        Numbered key = new Numbered(ref.digest().hex(), id);
        @Nullable Node known = byId.getIfPresent(key);
        if (known != null) {
            return Optional.of(known);
        }
        Optional<Node> node = ask(ref, manifest -> manifest.node(id));
        node.ifPresent(found -> byId.put(key, found));
        return node;
    }

    /** Returns the node if it is cached. Never queries the manifest. */
    Optional<Node> known(ManifestRef ref, long id) {
        return Optional.ofNullable(byId.getIfPresent(new Numbered(ref.digest().hex(), id)));
    }

    List<Node> readdir(ManifestRef ref, long parent, String after, int limit) {
        List<Node> page = ask(ref, manifest -> manifest.readdir(parent, after, limit));
        page.forEach(node -> remember(ref, parent, Optional.of(node)));
        return page;
    }

    private Optional<Node> remember(ManifestRef ref, long parent, Optional<Node> node) {
        String digest = ref.digest().hex();
        node.ifPresent(
                found -> {
                    byName.put(new Named(digest, parent, found.name()), found);
                    byId.put(new Numbered(digest, found.id()), found);
                });
        return node;
    }

    private <T> T ask(ManifestRef ref, Function<Manifest, T> question) {
        try (CachedManifest manifest = manifests.open(ref)) {
            return question.apply(manifest);
        }
    }
}
