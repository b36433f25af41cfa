package dev.forebay.manifest.write;

import dev.forebay.lake.LakeObject;
import dev.forebay.manifest.Comparison;
import dev.forebay.manifest.Digests;
import dev.forebay.manifest.Manifest;
import dev.forebay.manifest.ManifestFile;
import dev.forebay.manifest.PackLayout;
import dev.forebay.manifest.PackPosition;
import dev.forebay.manifest.PackRow;
import dev.forebay.manifest.sqlite.ChunkRows;
import dev.forebay.manifest.sqlite.ManifestSchema;
import dev.forebay.manifest.sqlite.NameGroupRows;
import dev.forebay.manifest.sqlite.NodeRows;
import dev.forebay.manifest.sqlite.SqlFailure;
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
 * Freezes a listing into a manifest file, object by object, with constant memory.
 *
 * <p>The same listing after the same previous version always gives the same bytes, and thus the
 * same digest. Pass each object of {@link dev.forebay.lake.LakeReader#list} to {@link #add}, then
 * call {@link #finish}. Closing without finishing leaves no file. Not thread-safe.
 */
public final class ManifestWriter implements AutoCloseable {

    /** The default limit of a pack: 1 TiB. */
    public static final long DEFAULT_PACK_BYTES = 1L << 40;

    /** 8 PiB, or about a billion chunks. */
    private static final long MOST_BYTES = 1L << 53;

    private final String bucket;
    private final String prefix;
    private final Path target;
    private final Path unfinished;
    private final Connection connection;
    private final NodeRows nodes;
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
     * @param target the file to write; {@link #finish} replaces an existing file
     * @param bucket the bucket that is listed
     * @param prefix the prefix that is listed; the rest of a key is its path in the version
     * @param packBytes the maximum size of a new pack; at least one chunk
     * @param previous the previous version, if there is one; the caller closes it
     * @throws ForebayException with {@code INTERNAL} or {@code CAPACITY_EXCEEDED} if the file
     *     cannot be written; this applies to all methods
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
            this.nodes = new NodeRows(connection);
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
     * @throws ForebayException with {@code INVALID_KEY} at the tenth object whose key cannot be a
     *     path or whose size is invalid, naming all ten; {@code TOO_LARGE} if there are too many
     *     bytes
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
        if (!directories.enter(parents, NodeRows.nanos(object.modified()))) {
            // Excluding that one file keeps everything below it.
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
                    KeyPath.invalid(object.key(), "is also a directory, or is listed twice"),
                    object.key());
            return;
        }
        objects++;
        bytes += object.size();
        if (bytes > MOST_BYTES) {
            throw new ForebayException(
                    ErrorCode.TOO_LARGE,
                    "s3://%s/%s has more than %d bytes, which is the limit of a version: register parts of it as several datasets"
                            .formatted(bucket, prefix, MOST_BYTES));
        }
    }

    private @Nullable PackPosition place(String name, LakeObject object) {
        Optional<PackPosition> kept = previous.place(directories.previousId(), name, object);
        if (kept.isPresent()) {
            return kept.get();
        }
        newBytes += object.size();
        return object.size() == 0 ? null : layout.place(object);
    }

    /** Compares the objects added so far with the previous version. */
    public Comparison comparison() {
        return previous.comparison(objects, newBytes);
    }

    /**
     * Completes the file and moves it to its target.
     *
     * @throws ForebayException with {@code INVALID_KEY} if keys cannot be paths, {@code LAKE_EMPTY}
     *     if there was no object
     */
    public ManifestFile finish() {
        invalid.requireNone();
        if (objects == 0) {
            throw new ForebayException(
                    ErrorCode.LAKE_EMPTY,
                    "the dataset has no objects below s3://%s/%s: upload them, or register another dataset with their prefix"
                            .formatted(bucket, prefix));
        }
        try {
            directories.finish();
            NameGroupRows.fill(connection);
            List<PackRow> packs = new ArrayList<>(previous.usedPacks());
            packs.addAll(layout.finish());
            long chunks = ChunkRows.fill(connection, packs);
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

    private void insertPacks(List<PackRow> packs) throws SQLException {
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO pack VALUES (?,?,?)")) {
            for (PackRow pack : packs) {
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
            meta(insert, "nodes", Long.toString(nodes.count()));
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

    /** Returns exclude patterns for the keys that cannot be paths and were named. */
    public List<String> excludes() {
        return invalid.excludes();
    }

    /** Deletes the unfinished file, unless the manifest was finished. */
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
