package dev.forebay.manifest.sqlite;

import dev.forebay.manifest.ChunkRef;
import dev.forebay.manifest.ChunkTotals;
import dev.forebay.manifest.Manifest;
import dev.forebay.manifest.Node;
import dev.forebay.manifest.Pack;
import dev.forebay.manifest.Segment;
import dev.forebay.manifest.cache.ManifestCache;
import dev.forebay.model.ChunkId;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.PackId;
import dev.forebay.thread.CatchAll;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A manifest in a local SQLite file, read through its indexes.
 *
 * <p>The file must stay unchanged, at its path, while the manifest is open. The caller has verified
 * its digest, see {@link ManifestCache}. The disk can damage the file later, so every read compares
 * the checksums of its rows. Thread-safe. At most {@value #SESSIONS} threads read at once, and
 * others wait.
 */
public final class SqliteManifest implements Manifest {

    private static final int SESSIONS = 4;

    private final Path file;
    private final Runnable whenDamaged;
    private final ReadSessions sessions;
    private final ManifestHead head;
    private final NodeReader nodes;
    private final ChunkReader chunks;

    private SqliteManifest(Path file, int sessions, Runnable whenDamaged) {
        this.file = file;
        this.whenDamaged = whenDamaged;
        this.sessions = new ReadSessions(file, sessions);
        this.head =
                CatchAll.closeOnFailure(
                        this.sessions, () -> query(session -> new ManifestHead(file, session)));
        this.nodes = new NodeReader(head);
        this.chunks = new ChunkReader(head, nodes);
    }

    /**
     * Opens a manifest file.
     *
     * @throws ForebayException with {@code CORRUPT} if it is not a manifest of a format that this
     *     release reads
     */
    public static SqliteManifest open(Path file) {
        return open(file, () -> {});
    }

    /**
     * Opens a manifest's file like {@link #open(Path)}, and reports damage.
     *
     * @param whenDamaged runs whenever a read finds the file damaged or missing
     */
    public static SqliteManifest open(Path file, Runnable whenDamaged) {
        return new SqliteManifest(file, SESSIONS, whenDamaged);
    }

    private <T> T query(ReadSessions.Query<T> query) {
        try {
            return sessions.query(query);
        } catch (ForebayException e) {
            if (e.code() == ErrorCode.CORRUPT || Files.notExists(file)) {
                whenDamaged.run();
            }
            throw e;
        }
    }

    @Override
    public String bucket() {
        return head.meta("bucket");
    }

    @Override
    public long objects() {
        return head.number("objects");
    }

    @Override
    public long bytes() {
        return head.number("bytes");
    }

    @Override
    public long chunkCount() {
        return head.chunkCount();
    }

    @Override
    public List<Pack> packs() {
        return head.packs();
    }

    @Override
    public Optional<Node> lookup(long parentId, String name) {
        return query(session -> nodes.lookup(session, parentId, name));
    }

    @Override
    public Optional<Node> node(long id) {
        return query(session -> nodes.node(session, id));
    }

    @Override
    public List<Node> readdir(long parentId, String afterName, int limit) {
        return query(session -> nodes.readdir(session, parentId, afterName, limit));
    }

    @Override
    public List<Segment> segments(PackId pack, long from, long to) {
        return head.ordinal(pack)
                .map(ordinal -> query(session -> chunks.segments(session, ordinal, from, to)))
                .orElse(List.of());
    }

    @Override
    public List<Segment> segments(ChunkId chunk) {
        return head.ordinal(chunk.pack())
                .map(ordinal -> query(session -> chunks.segments(session, ordinal, chunk)))
                .orElse(List.of());
    }

    @Override
    public ChunkTotals tally(PackId pack, long from, long to) {
        return head.ordinal(pack)
                .map(ordinal -> query(session -> chunks.tally(session, ordinal, from, to)))
                .orElse(new ChunkTotals(0, 0));
    }

    @Override
    public List<ChunkRef> chunks(long fromOrdinal, int limit) {
        return query(session -> chunks.chunks(session, fromOrdinal, limit));
    }

    @Override
    public void close() {
        sessions.close();
    }
}
