package dev.forebay.membership.rows;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.forebay.membership.Mount;
import dev.forebay.membership.Pin;
import dev.forebay.membership.QueuedVersion;
import dev.forebay.membership.RegionView;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ForebayException;
import dev.forebay.model.Sibling;
import dev.forebay.placement.WorkerNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The keys of a region as the watch has received them, and the {@link RegionView} of them. Not
 * thread-safe.
 */
public final class RegionTable {

    private static final Logger LOG = LoggerFactory.getLogger(RegionTable.class);

    /**
     * @param row the parsed row, or its last understood content; null if nothing is known
     * @param understood whether {@code row} is the complete content
     */
    private record Cell(long revision, String value, @Nullable Row row, boolean understood) {}

    private final SortedMap<String, Cell> cells = new TreeMap<>();
    private Map<String, Cell> replaced = Map.of();

    /** Replaces all keys. A row that is not understood keeps its last understood content. */
    public void replace(Runnable puts) {
        replaced = new HashMap<>(cells);
        cells.clear();
        puts.run();
        replaced = Map.of();
    }

    /**
     * Puts a key.
     *
     * @param key without the region's root
     * @param revision the key's modification revision
     */
    public void put(String key, byte[] value, long revision) {
        @Nullable Row row;
        boolean understood;
        try {
            row = Rows.parse(key, value);
            understood = !isOfLaterRelease(row);
        } catch (ForebayException e) {
            LOG.debug("Ignoring a row: {}", e.getMessage());
            row = known(key).or(() -> Rows.ofKey(key)).orElse(null);
            understood = false;
        }
        cells.put(key, new Cell(revision, new String(value, UTF_8), row, understood));
    }

    private static boolean isOfLaterRelease(Row row) {
        return row instanceof Row.Mounted(Mount mount) && mount.state() == Mount.State.UNKNOWN;
    }

    /**
     * Returns the last understood content of a row. A mount keeps its manifest, because a version
     * never changes.
     */
    private Optional<Row> known(String key) {
        Cell before = cells.getOrDefault(key, replaced.get(key));
        return Optional.ofNullable(before)
                .flatMap(cell -> Optional.ofNullable(cell.row))
                .map(
                        row ->
                                row instanceof Row.Mounted(Mount mount)
                                        ? new Row.Mounted(mount.in(Mount.State.UNKNOWN))
                                        : row);
    }

    public void delete(String key) {
        cells.remove(key);
    }

    /**
     * Returns the number of keys and the newest revision. They equal etcd's if no event was missed.
     */
    public Fingerprint fingerprint() {
        long newest = cells.values().stream().mapToLong(Cell::revision).max().orElse(0);
        return new Fingerprint(cells.size(), newest);
    }

    public record Fingerprint(long keys, long newestRevision) {}

    /** Returns all keys in order, with their values as text. */
    public SortedMap<String, String> values() {
        SortedMap<String, String> values = new TreeMap<>();
        cells.forEach((key, cell) -> values.put(key, cell.value));
        return values;
    }

    public RegionView view() {
        List<WorkerNode> workers = new ArrayList<>();
        Set<String> live = new HashSet<>();
        List<Mount> mounts = new ArrayList<>();
        List<Pin> pins = new ArrayList<>();
        List<QueuedVersion> queue = new ArrayList<>();
        List<WorkerNode> departed = new ArrayList<>();
        Map<DatasetVersion, Integer> replicas = new HashMap<>();
        Map<DatasetVersion, List<Sibling>> siblings = new HashMap<>();
        for (Cell cell : cells.values()) {
            switch (cell.row) {
                case Row.Worker(WorkerNode node) -> workers.add(node);
                case Row.Live(String workerId) -> live.add(workerId);
                case Row.Departed(WorkerNode node) -> departed.add(node);
                case Row.Mounted(Mount mount) -> mounts.add(mount);
                case Row.Pinned(Pin pin) -> pins.add(pin);
                case Row.Replicated(DatasetVersion version, int count) ->
                        replicas.put(version, count);
                case Row.Waiting(QueuedVersion queued) -> queue.add(queued);
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
        Set<String> registered = workers.stream().map(WorkerNode::id).collect(Collectors.toSet());
        departed.removeIf(node -> registered.contains(node.id()));
        return new RegionView(
                List.copyOf(workers),
                Set.copyOf(live),
                List.copyOf(mounts),
                List.copyOf(pins),
                List.copyOf(queue),
                List.copyOf(departed),
                notUnderstood());
    }

    private Set<String> notUnderstood() {
        return cells.entrySet().stream()
                .filter(cell -> !cell.getValue().understood)
                .map(Map.Entry::getKey)
                .collect(Collectors.toUnmodifiableSet());
    }
}
