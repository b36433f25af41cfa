package dev.forebay.membership.etcd;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KeyValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A model of etcd as an immutable value, with the operations that the protocol of mounts and pins
 * uses. Each change returns a new value. Leases have no duration: a test ends them when it likes.
 */
record ModelEtcd(SortedMap<String, Cell> cells, SortedSet<Long> leases, long revision) {

    record Cell(String value, long revision, long lease) {}

    static ModelEtcd empty() {
        return new ModelEtcd(new TreeMap<>(), new TreeSet<>(), 1);
    }

    Optional<KeyValue> get(String key) {
        return Optional.ofNullable(cells.get(key)).map(cell -> pair(key, cell));
    }

    List<KeyValue> range(String prefix) {
        List<KeyValue> found = new ArrayList<>();
        cells.tailMap(prefix)
                .forEach(
                        (key, cell) -> {
                            if (key.startsWith(prefix)) {
                                found.add(pair(key, cell));
                            }
                        });
        return found;
    }

    boolean isUnchanged(String key, long expected) {
        Cell cell = cells.get(key);
        return (cell == null ? 0 : cell.revision) == expected;
    }

    /** Applies changes. None may name a lease that has ended, because etcd refuses that. */
    ModelEtcd apply(Change... changes) {
        SortedMap<String, Cell> next = new TreeMap<>(cells);
        for (Change change : changes) {
            switch (change) {
                case Change.Put(String key, ByteSequence value, long lease) ->
                        next.put(key, new Cell(value.toString(UTF_8), revision + 1, lease));
                case Change.Delete(String key) -> next.remove(key);
            }
        }
        return new ModelEtcd(next, leases, revision + 1);
    }

    boolean hasLeasesOf(Change... changes) {
        for (Change change : changes) {
            if (change instanceof Change.Put put
                    && put.lease() != Change.NO_LEASE
                    && !leases.contains(put.lease())) {
                return false;
            }
        }
        return true;
    }

    /** Returns the id of the lease that {@link #grant} makes, which no earlier lease had. */
    long nextLease() {
        return revision + 1;
    }

    ModelEtcd grant() {
        SortedSet<Long> more = new TreeSet<>(leases);
        more.add(nextLease());
        return new ModelEtcd(cells, more, revision + 1);
    }

    /** Ends a lease and its keys. */
    ModelEtcd end(long lease) {
        if (!leases.contains(lease)) {
            return this;
        }
        SortedSet<Long> fewer = new TreeSet<>(leases);
        fewer.remove(lease);
        SortedMap<String, Cell> next = new TreeMap<>(cells);
        next.values().removeIf(cell -> cell.lease == lease);
        return new ModelEtcd(next, fewer, revision + 1);
    }

    private static KeyValue pair(String key, Cell cell) {
        return new KeyValue(
                io.etcd.jetcd.api.KeyValue.newBuilder()
                        .setKey(ByteString.copyFromUtf8(key))
                        .setValue(ByteString.copyFromUtf8(cell.value))
                        .setModRevision(cell.revision)
                        .setLease(cell.lease)
                        .build(),
                ByteSequence.EMPTY);
    }
}
