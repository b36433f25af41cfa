package dev.forebay.membership;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ForebayException;
import dev.forebay.model.Sibling;
import dev.forebay.placement.WorkerNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The keys of a region as the watch has seen them. For one thread. */
final class RegionTable {

    private static final Logger LOG = LoggerFactory.getLogger(RegionTable.class);

    /** {@code row} is null for a key that is there but not understood. */
    @SuppressWarnings("ArrayRecordComponent") // two cells are never compared
    private record Cell(long revision, byte[] value, @Nullable Row row) {}

    private final SortedMap<String, Cell> cells = new TreeMap<>();

    void clear() {
        cells.clear();
    }

    /**
     * Puts a key.
     *
     * @param key without the region's root
     * @param revision the key's modification revision
     */
    void put(String key, byte[] value, long revision) {
        Row row = null;
        try {
            row = Rows.parse(key, value);
        } catch (ForebayException e) {
            LOG.warn("Left out of the region's view: {}", e.getMessage());
        }
        cells.put(key, new Cell(revision, value, row));
    }

    void delete(String key) {
        cells.remove(key);
    }

    /** How many keys there are and how new the newest is: equal to etcd's if nothing was missed. */
    Fingerprint fingerprint() {
        long newest = cells.values().stream().mapToLong(Cell::revision).max().orElse(0);
        return new Fingerprint(cells.size(), newest);
    }

    record Fingerprint(long keys, long newestRevision) {}

    /** All keys, in order, with their values as text. */
    SortedMap<String, String> values() {
        SortedMap<String, String> values = new TreeMap<>();
        cells.forEach((key, cell) -> values.put(key, new String(cell.value, UTF_8)));
        return values;
    }

    RegionView view() {
        List<WorkerNode> workers = new ArrayList<>();
        Set<String> live = new HashSet<>();
        List<Mount> mounts = new ArrayList<>();
        List<Pin> pins = new ArrayList<>();
        List<Applicant> queue = new ArrayList<>();
        Map<DatasetVersion, Integer> replicas = new HashMap<>();
        Map<DatasetVersion, List<Sibling>> siblings = new HashMap<>();
        for (Cell cell : cells.values()) {
            switch (cell.row) {
                case Row.Worker(WorkerNode node) -> workers.add(node);
                case Row.Live(String workerId) -> live.add(workerId);
                case Row.Mounted(Mount mount) -> mounts.add(mount);
                case Row.Pinned(Pin pin) -> pins.add(pin);
                case Row.Replicated(DatasetVersion version, int count) ->
                        replicas.put(version, count);
                case Row.Waiting(Applicant applicant) -> queue.add(applicant);
                case Row.Gate() -> {}
                case Row.Sourced(DatasetVersion version, List<Sibling> others) ->
                        siblings.put(version, others);
                case null -> {}
            }
        }
        mounts.replaceAll(
                mount ->
                        mount.with(
                                replicas.getOrDefault(mount.version(), 1),
                                siblings.getOrDefault(mount.version(), List.of())));
        return new RegionView(
                List.copyOf(workers),
                Set.copyOf(live),
                List.copyOf(mounts),
                List.copyOf(pins),
                List.copyOf(queue));
    }
}
