package dev.forebay.manifest.sqlite;

import dev.forebay.manifest.Pack;
import dev.forebay.model.ChunkId;
import dev.forebay.model.ForebayException;
import dev.forebay.model.PackId;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The parts of a manifest that are read once, when it is opened: the table {@code meta}, the packs,
 * and the number of chunks. Immutable. Each method fails with {@code CORRUPT} if its part is
 * missing.
 */
final class ManifestHead {

    private final Path file;
    private final Map<String, String> meta = new HashMap<>();
    private final List<Pack> packs = new ArrayList<>();
    private final Map<PackId, Integer> ordinals = new HashMap<>();
    private final Map<Integer, PackId> packIds = new HashMap<>();
    private final long chunkCount;

    ManifestHead(Path file, ReadSession session) throws SQLException {
        this.file = file;
        try (ResultSet rows = session.prepare("SELECT key, value FROM meta").executeQuery()) {
            while (rows.next()) {
                meta.put(rows.getString(1), rows.getString(2));
            }
        }
        requireMeta("format", ManifestSchema.FORMAT);
        requireMeta("chunk_bytes", Integer.toString(ChunkId.CHUNK_BYTES));
        try (ResultSet rows =
                session.prepare("SELECT ordinal, id, bytes FROM pack ORDER BY ordinal")
                        .executeQuery()) {
            while (rows.next()) {
                PackId id = packId(rows.getString(2));
                packs.add(new Pack(id, rows.getLong(3)));
                ordinals.put(id, rows.getInt(1));
                packIds.put(rows.getInt(1), id);
            }
        }
        try (ResultSet rows =
                session.prepare("SELECT coalesce(max(ordinal) + 1, 0) FROM chunk").executeQuery()) {
            chunkCount = rows.getLong(1);
        }
    }

    private PackId packId(String text) {
        try {
            return PackId.parse(text);
        } catch (ForebayException _) {
            throw damaged("it has a pack with an invalid id");
        }
    }

    private void requireMeta(String key, String expected) {
        if (!meta(key).equals(expected)) {
            throw damaged("its %s is not %s".formatted(key, expected));
        }
    }

    String meta(String key) {
        String value = meta.get(key);
        if (value == null) {
            throw damaged("it has no " + key);
        }
        return value;
    }

    /** Returns the failure for a damaged file. */
    ForebayException damaged(String why) {
        return SqlFailure.damaged(file, why);
    }

    /** Returns a number of the table {@code meta}. */
    long number(String key) {
        return Long.parseLong(meta(key));
    }

    List<Pack> packs() {
        return List.copyOf(packs);
    }

    long chunkCount() {
        return chunkCount;
    }

    /** Returns the number of a pack in this manifest; empty if no object is in the pack. */
    Optional<Integer> ordinal(PackId pack) {
        return Optional.ofNullable(ordinals.get(pack));
    }

    PackId pack(int ordinal) {
        PackId id = packIds.get(ordinal);
        if (id == null) {
            throw damaged("it has no pack " + ordinal);
        }
        return id;
    }
}
