package dev.forebay.control.ingest;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import dev.forebay.control.catalogue.Dataset;
import dev.forebay.control.catalogue.LakeSource;
import dev.forebay.control.catalogue.Origin;
import dev.forebay.control.catalogue.TtlAfter;
import dev.forebay.control.config.ControlPlaneConfig;
import dev.forebay.lake.Lake;
import dev.forebay.lake.LakeObject;
import dev.forebay.lake.Listing;
import dev.forebay.manifest.Comparison;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ManifestRef;
import dev.forebay.service.Workspace;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes pointers: objects beside the manifests, one for each version, that name its
 * manifest. A pointer is written once, before the catalogue is. A lost or outdated catalogue
 * therefore cannot give a version another manifest, and can be restored from the pointers.
 * Thread-safe.
 */
@Singleton
public class VersionPointers {

    /** The prefix of the keys. The version's name follows. */
    private static final String PREFIX = "versions/";

    private static final String SUFFIX = ".json";
    private static final int PAGE = 200;
    private static final int MOST_NAMED = 3;

    private final Lake lake;
    private final Optional<String> bucket;
    private final Workspace workspace;
    private final ObjectMapper json;

    VersionPointers(Lake lake, Workspace workspace, ControlPlaneConfig config, ObjectMapper json) {
        this.lake = lake;
        this.workspace = workspace;
        this.bucket = config.manifestBucket();
        this.json =
                json.copy()
                        .setPropertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
                        .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);
    }

    /**
     * The contents of a pointer.
     *
     * @param ttl the time to live of the version, and of its dataset at that time
     */
    public record Pointer(
            DatasetVersion version,
            ManifestRef manifest,
            Duration ttl,
            TtlAfter ttlAfter,
            Origin origin) {

        public static Pointer of(
                Dataset dataset, DatasetVersion version, ManifestRef manifest, Origin origin) {
            return new Pointer(version, manifest, dataset.ttl(), dataset.ttlAfter(), origin);
        }
    }

    /**
     * One page of pointers.
     *
     * @param next the key after which the next page begins; null at the end
     */
    public record Page(List<String> keys, @Nullable String next) {}

    /**
     * The form of an object.
     *
     * @param sha256 the SHA-256 of the pointer as compact JSON, in hexadecimal digits. It protects
     *     the source of a restored catalogue from damage
     */
    private record Sealed(JsonNode pointer, String sha256) {}

    /** The JSON form of a pointer. */
    private record Body(
            String version,
            String manifest,
            String manifestSha256,
            long objects,
            long bytes,
            long chunks,
            LakeSource source,
            Origin.@Nullable ListIdentity keys,
            @Nullable String before,
            Comparison comparison,
            Instant frozenAt,
            long ttlSeconds,
            TtlAfter ttlAfter) {

        static Body of(Pointer pointer) {
            ManifestRef manifest = pointer.manifest;
            Origin origin = pointer.origin;
            return new Body(
                    pointer.version.toString(),
                    manifest.uri(),
                    manifest.digest().hex(),
                    manifest.objects(),
                    manifest.bytes(),
                    manifest.chunks(),
                    origin.source(),
                    origin.keys(),
                    origin.before() == null ? null : origin.before().toString(),
                    origin.comparison(),
                    origin.frozenAt(),
                    pointer.ttl.toSeconds(),
                    pointer.ttlAfter);
        }

        Pointer toPointer() {
            return new Pointer(
                    DatasetVersion.parse(version),
                    new ManifestRef(manifest, new Digest(manifestSha256), objects, bytes, chunks),
                    Duration.ofSeconds(ttlSeconds),
                    ttlAfter,
                    new Origin(
                            source,
                            keys,
                            before == null ? null : DatasetVersion.parse(before),
                            comparison,
                            frozenAt));
        }
    }

    /**
     * Returns the pointer of a version; empty if it was never frozen.
     *
     * @throws ForebayException {@code ALREADY_EXISTS} if it was frozen from another source
     */
    Optional<Pointer> find(DatasetVersion version, LakeSource source) {
        String key = key(version);
        return lake.find(bucket(), key).map(bytes -> requireSame(source, read(key, bytes)));
    }

    /**
     * Writes the pointer of a version, unless it has one. Returns the pointer that is stored.
     *
     * @throws ForebayException as {@link #find}
     */
    public Pointer claim(Pointer pointer) {
        String key = key(pointer.version);
        byte[] there = lake.createOnce(bucket(), key, written(pointer));
        return requireSame(pointer.origin.source(), read(key, there));
    }

    /** Returns a page of keys, ordered by the names of the versions. */
    public Page list(@Nullable String after) {
        return list("", after);
    }

    /** As {@link #list(String)}, for versions whose names begin with {@code names}. */
    public Page list(String names, @Nullable String after) {
        Listing.Page page = lake.listing(bucket(), PREFIX + names).page(after, PAGE);
        return new Page(page.objects().stream().map(LakeObject::key).toList(), page.next());
    }

    /**
     * Checks that no other version of the dataset has a pointer, before the catalogue gets the
     * dataset's first version. If one has, the catalogue was lost, and the name may be a mistake.
     *
     * @throws ForebayException {@code NOT_FOUND} with the command that restores the catalogue
     */
    public void requireNoOther(DatasetVersion version) {
        if (bucket.isEmpty()) {
            return;
        }
        List<String> others =
                list(version.dataset() + "@", null).keys().stream()
                        .flatMap(key -> version(key).stream())
                        .filter(other -> !other.equals(version))
                        .map(DatasetVersion::version)
                        .limit(MOST_NAMED)
                        .toList();
        if (!others.isEmpty()) {
            throw new ForebayException(
                    ErrorCode.NOT_FOUND,
                    "the catalogue has lost the versions of %s, such as %s: restore them with 'forebay restore-catalogue', or create this one with 'forebay ensure %s --create'"
                            .formatted(version.dataset(), String.join(", ", others), version));
        }
    }

    /**
     * Reads the pointer of a version; empty if it has none.
     *
     * @throws ForebayException {@code CORRUPT} if it does not name a manifest, {@code UNAVAILABLE}
     *     if it has the form of a later release
     */
    public Optional<Pointer> read(DatasetVersion version) {
        String key = key(version);
        return lake.find(bucket(), key).map(bytes -> read(key, bytes));
    }

    /** Replaces a damaged pointer. */
    public void replace(Pointer pointer) {
        try (Workspace.Temporary folder = workspace.temporary("pointer-")) {
            Path file = folder.path().resolve("pointer.json");
            Files.write(file, written(pointer));
            lake.putIfAbsent(bucket(), key(pointer.version), file);
        } catch (IOException e) {
            throw new ForebayException(
                    ErrorCode.INTERNAL,
                    "forebay.work-directory: cannot write the pointer of %s: %s"
                            .formatted(pointer.version, e),
                    e);
        }
    }

    /** Returns the version whose pointer has this key; empty if the key has another form. */
    public static Optional<DatasetVersion> version(String key) {
        if (!key.startsWith(PREFIX) || !key.endsWith(SUFFIX)) {
            return Optional.empty();
        }
        try {
            return Optional.of(
                    DatasetVersion.parse(
                            key.substring(PREFIX.length(), key.length() - SUFFIX.length())));
        } catch (ForebayException noName) {
            return Optional.empty();
        }
    }

    /**
     * Reads a pointer by its key.
     *
     * @throws ForebayException {@code NOT_FOUND}, or as {@link #read(DatasetVersion)}
     */
    public Pointer read(String key) {
        return read(
                key,
                lake.find(bucket(), key)
                        .orElseThrow(
                                () ->
                                        new ForebayException(
                                                ErrorCode.NOT_FOUND,
                                                "the object s3://%s/%s does not exist any more"
                                                        .formatted(bucket(), key))));
    }

    private static Pointer requireSame(LakeSource source, Pointer pointer) {
        LakeSource frozen = pointer.origin.source();
        if (!frozen.equals(source)) {
            throw new ForebayException(
                    ErrorCode.ALREADY_EXISTS,
                    "version %s was frozen from %s, but the dataset is registered with %s: freeze another version, or restore the catalogue (docs/operations.md, What is lost when a store is lost)"
                            .formatted(pointer.version, frozen.describe(), source.describe()));
        }
        return pointer;
    }

    private String bucket() {
        return bucket.orElseThrow();
    }

    private static String key(DatasetVersion version) {
        return PREFIX + version + SUFFIX;
    }

    private byte[] written(Pointer pointer) {
        try {
            JsonNode body = json.valueToTree(Body.of(pointer));
            return json.writeValueAsBytes(new Sealed(body, sha256(body)));
        } catch (JsonProcessingException e) {
            throw new ForebayException(ErrorCode.INTERNAL, "cannot write a pointer", e);
        }
    }

    /**
     * Covers the JSON tree, including properties of later releases, so every release can verify it.
     */
    private String sha256(JsonNode body) throws JsonProcessingException {
        return Digest.of(json.writeValueAsBytes(body)).hex();
    }

    private Pointer read(String key, byte[] bytes) {
        // Discards the exceptions: Jackson's messages and causes quote the content of the object.
        JsonNode body;
        try {
            JsonNode sealed = json.readTree(bytes);
            body = sealed.path("pointer");
            if (!sha256(body).equals(sealed.path("sha256").asText())) {
                throw corrupt(key, "does not have its checksum");
            }
        } catch (IOException _) {
            throw corrupt(key, "does not name the version's manifest");
        }
        if (!key.equals(PREFIX + body.path("version").asText() + SUFFIX)) {
            throw corrupt(key, "is not the pointer of this version");
        }
        try {
            return json.treeToValue(body, Body.class).toPointer();
        } catch (IOException | RuntimeException _) {
            throw new ForebayException(
                    ErrorCode.UNAVAILABLE,
                    "cannot read s3://%s/%s, which a later release wrote: upgrade the control plane"
                            .formatted(bucket(), key));
        }
    }

    private ForebayException corrupt(String key, String what) {
        return new ForebayException(
                ErrorCode.CORRUPT,
                "s3://%s/%s %s: write it again from the catalogue with 'forebay fsck --repair', or restore the object from a backup of the manifest bucket"
                        .formatted(bucket(), key, what));
    }
}
