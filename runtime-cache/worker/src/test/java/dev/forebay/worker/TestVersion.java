package dev.forebay.worker;

import dev.forebay.manifest.ChunkRef;
import dev.forebay.manifest.Manifest;
import dev.forebay.manifest.Pack;
import dev.forebay.manifest.Segment;
import dev.forebay.manifest.sqlite.SqliteManifest;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ManifestRef;
import java.nio.file.Path;
import java.util.List;

/** A mounted version whose manifest the test can read. */
record TestVersion(DatasetVersion name, ManifestRef ref, Path file) {

    Pack pack() {
        try (Manifest manifest = SqliteManifest.open(file)) {
            return manifest.packs().getFirst();
        }
    }

    List<ChunkRef> chunks() {
        try (Manifest manifest = SqliteManifest.open(file)) {
            return manifest.chunks(0, 10_000);
        }
    }

    /** Returns the place of an object in the pack. */
    Segment segment(String key) {
        try (Manifest manifest = SqliteManifest.open(file)) {
            return manifest.segments(pack().id(), 0, pack().bytes()).stream()
                    .filter(segment -> segment.key().equals(key))
                    .findFirst()
                    .orElseThrow();
        }
    }

    /** Returns the request path for reads of this version's pack. */
    String readPath() {
        return "/v1/packs/" + pack().id() + "?manifest=" + ref.digest();
    }

    String manifestPath() {
        return "/v1/manifests/" + ref.digest();
    }
}
