package dev.forebay.agent.workers;

import dev.forebay.lake.LakeObject;
import dev.forebay.manifest.ChunkRef;
import dev.forebay.manifest.Manifest;
import dev.forebay.manifest.ManifestFile;
import dev.forebay.manifest.cache.ManifestCache;
import dev.forebay.manifest.sqlite.SqliteManifest;
import dev.forebay.manifest.write.ManifestWriter;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ManifestRef;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Real manifests of invented objects in a directory, and caches for them. */
public final class WrittenManifests {

    private final Path directory;
    private final Map<Digest, Path> stored = new HashMap<>();

    public WrittenManifests(Path directory) {
        this.directory = directory;
    }

    /**
     * Writes a manifest of these keys and sizes. Objects that {@code before} has, too, keep their
     * places.
     */
    public ManifestRef write(String name, @Nullable ManifestRef before, Object... objects) {
        return write(name, "", before, objects);
    }

    /** The same below a prefix, which the keys include. */
    public ManifestRef write(
            String name, String prefix, @Nullable ManifestRef before, Object... objects) {
        Path target = directory.resolve(name);
        ManifestFile file;
        if (before == null) {
            file = file(target, prefix, null, objects);
        } else {
            try (Manifest previous = SqliteManifest.open(path(before))) {
                file = file(target, prefix, previous, objects);
            }
        }
        stored.put(file.digest(), target);
        return file.ref("forebay");
    }

    private static ManifestFile file(
            Path target, String prefix, @Nullable Manifest previous, Object... objects) {
        try (ManifestWriter writer =
                new ManifestWriter(
                        target, "lake", prefix, ManifestWriter.DEFAULT_PACK_BYTES, previous)) {
            for (int i = 0; i < objects.length; i += 2) {
                long size = ((Number) objects[i + 1]).longValue();
                writer.add(
                        new LakeObject((String) objects[i], size, Instant.EPOCH, "e" + size, null));
            }
            return writer.finish();
        }
    }

    /** Returns the bytes of objects in these chunks. */
    public long liveBytes(ManifestRef manifest, BitSet chunks) {
        try (Manifest open = SqliteManifest.open(path(manifest))) {
            return open.chunks(0, Math.toIntExact(open.chunkCount())).stream()
                    .filter(chunk -> chunks.get(Math.toIntExact(chunk.ordinal())))
                    .mapToLong(ChunkRef::liveBytes)
                    .sum();
        }
    }

    /** Makes a manifest unreadable, unless a cache has it. */
    public void lose(ManifestRef manifest) {
        stored.remove(manifest.digest());
    }

    public ManifestCache cache() {
        return new ManifestCache(
                directory.resolve("cache"),
                1 << 24,
                (ref, target) -> {
                    try {
                        Files.copy(path(ref), target);
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                });
    }

    private Path path(ManifestRef manifest) {
        Path path = stored.get(manifest.digest());
        if (path == null) {
            throw new ForebayException(
                    ErrorCode.LAKE_UNAVAILABLE, "%s is not stored".formatted(manifest.uri()));
        }
        return path;
    }
}
