package dev.forebay.manifest;

import dev.forebay.lake.LakeObject;
import dev.forebay.model.ChunkId;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ShownText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Freezes a listing into a manifest file, an object at a time, in flat memory.
 *
 * <p>The same listing (and the same version before) always gives the same bytes, so the same
 * digest. Feed it with {@link dev.forebay.lake.Lake#list}, then call {@link #finish}; closing
 * without finishing leaves no file. Not thread-safe.
 */
public final class ManifestWriter implements AutoCloseable {

    /** A sensible limit for a pack: 1 TiB. */
    public static final long DEFAULT_PACK_BYTES = 1L << 40;

    /** 8 PiB: a thousand million chunks. */
    private static final long MOST_BYTES = 1L << 53;

    private final String bucket;
    private final String prefix;
    private final Path target;
    private final Path unfinished;
    private final Connection connection;
    private final NodeTable nodes;
    private final PreviousVersion previous;
    private final DirectoryStack directories;
    private final PackLayout layout;
    private final InvalidKeys invalid;
    private long objects;
    private long bytes;
    private long newBytes;

    /**
     * Begins a manifest.
     *
     * @param target the file to be; what is there is replaced by {@link #finish}
     * @param bucket the bucket that is listed
     * @param prefix the prefix that is listed; what follows it in a key is the path in the version
     * @param packBytes how large a new pack may become; at least one chunk
     * @param previous the version before, if there is one; stays the caller's to close
     * @throws ForebayException with {@code INTERNAL} or {@code CAPACITY_EXCEEDED} if the file
     *     cannot be written, as all methods
     */
    public ManifestWriter(
            Path target,
            String bucket,
            String prefix,
            long packBytes,
            @Nullable Manifest previous) {
        if (packBytes < ChunkId.CHUNK_BYTES) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "a pack of %d bytes must be at least one chunk, %d"
                            .formatted(packBytes, ChunkId.CHUNK_BYTES));
        }
        this.bucket = bucket;
        this.prefix = prefix;
        this.invalid = new InvalidKeys(prefix);
        this.target = target;
        this.unfinished = target.resolveSibling(target.getFileName() + ".unfinished");
        this.previous = new PreviousVersion(previous, bucket, packBytes);
        this.layout = new PackLayout(bucket, this.previous.packCount(), packBytes);
        try {
            Files.deleteIfExists(unfinished);
            this.connection = ManifestSchema.create(unfinished);
            this.nodes = new NodeTable(connection);
        } catch (SQLException e) {
            throw SqlFailure.of(unfinished, e);
        } catch (IOException e) {
            throw new ForebayException(ErrorCode.INTERNAL, "cannot replace " + unfinished, e);
        }
        this.directories = new DirectoryStack(nodes, this.previous);
    }

    /**
     * Adds the next object of the listing.
     *
     * @throws ForebayException with {@code INVALID_KEY}, naming the first ten, at the tenth key
     *     that cannot be a path, or has a size that no object has; {@code TOO_LARGE} if there are
     *     too many bytes
     */
    public void add(LakeObject object) {
        KeyPath path;
        try {
            path = KeyPath.of(prefix, object.key(), object.size());
        } catch (ForebayException e) {
            invalid.add(e, object.key());
            return;
        }
        try {
            addPath(object, path);
        } catch (SQLException e) {
            throw SqlFailure.of(unfinished, e);
        }
    }

    private void addPath(LakeObject object, KeyPath path) throws SQLException {
        List<String> parents =
                path.directory()
                        ? path.components()
                        : path.components().subList(0, path.components().size() - 1);
        if (!directories.enter(parents, NodeTable.nanos(object.modified()))) {
            // Without that file all that is below it can stay.
            String file = prefix + String.join("/", parents.subList(0, directories.depth() + 1));
            invalid.add(
                    KeyPath.invalid(
                            object.key(),
                            "is below '%s', which is a file".formatted(ShownText.of(file))),
                    file);
            return;
        }
        if (path.directory()) {
            return;
        }
        String name = path.components().getLast();
        if (nodes.addFile(directories.id(), name, object, place(name, object)).isEmpty()) {
            invalid.add(
                    KeyPath.invalid(object.key(), "is also a directory, or was listed twice"),
                    object.key());
            return;
        }
        objects++;
        bytes += object.size();
        if (bytes > MOST_BYTES) {
            throw new ForebayException(
                    ErrorCode.TOO_LARGE,
                    "s3://%s/%s has more than %d bytes, the most that a version can have: register parts of it as several datasets"
                            .formatted(bucket, prefix, MOST_BYTES));
        }
    }

    private @Nullable Place place(String name, LakeObject object) {
        Optional<Place> kept = previous.place(directories.previousId(), name, object);
        if (kept.isPresent()) {
            return kept.get();
        }
        newBytes += object.size();
        return object.size() == 0 ? null : layout.place(object);
    }

    /** How what was added so far differs from the version before. */
    public Comparison comparison() {
        return previous.comparison(objects, newBytes);
    }

    /**
     * Completes the file and moves it to its place.
     *
     * @throws ForebayException with {@code INVALID_KEY} if there were keys that cannot be paths,
     *     {@code LAKE_EMPTY} if there was no object
     */
    public ManifestFile finish() {
        invalid.requireNone();
        if (objects == 0) {
            throw new ForebayException(
                    ErrorCode.LAKE_EMPTY,
                    "no objects of the dataset are below s3://%s/%s".formatted(bucket, prefix));
        }
        try {
            directories.finish();
            List<LaidPack> packs = new ArrayList<>(previous.usedPacks());
            packs.addAll(layout.finish());
            long chunks = ChunkTable.fill(connection, packs);
            insertPacks(packs);
            insertMeta();
            nodes.close();
            connection.commit();
            connection.close();
            ManifestFile file =
                    new ManifestFile(target, Digests.of(unfinished), objects, bytes, chunks);
            Files.move(
                    unfinished,
                    target,
                    StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
            return file;
        } catch (SQLException e) {
            throw SqlFailure.of(unfinished, e);
        } catch (IOException e) {
            throw new ForebayException(ErrorCode.INTERNAL, "cannot finish " + target, e);
        }
    }

    private void insertPacks(List<LaidPack> packs) throws SQLException {
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO pack VALUES (?,?,?)")) {
            for (LaidPack pack : packs) {
                insert.setInt(1, pack.ordinal());
                insert.setString(2, pack.id().toString());
                insert.setLong(3, pack.bytes());
                insert.executeUpdate();
            }
        }
    }

    private void insertMeta() throws SQLException {
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO meta VALUES (?,?)")) {
            meta(insert, "format", ManifestSchema.FORMAT);
            meta(insert, "bucket", bucket);
            meta(insert, "prefix", prefix);
            meta(insert, "chunk_bytes", Integer.toString(ChunkId.CHUNK_BYTES));
            meta(insert, "objects", Long.toString(objects));
            meta(insert, "bytes", Long.toString(bytes));
        }
    }

    private static void meta(PreparedStatement insert, String key, String value)
            throws SQLException {
        insert.setString(1, key);
        insert.setString(2, value);
        insert.executeUpdate();
    }

    /**
     * The exclude patterns that leave out the keys that were named because they cannot be paths.
     */
    public List<String> excludes() {
        return invalid.excludes();
    }

    /** Gives up, if the manifest was not finished; then nothing is left of it. */
    @Override
    public void close() {
        try {
            connection.close();
            Files.deleteIfExists(unfinished);
        } catch (SQLException e) {
            throw SqlFailure.of(unfinished, e);
        } catch (IOException e) {
            throw new ForebayException(ErrorCode.INTERNAL, "cannot delete " + unfinished, e);
        }
    }
}
