package dev.forebay.workflows;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.Sibling;
import dev.forebay.workflows.activity.RegionActivities;
import dev.forebay.workflows.message.PinRequest;
import dev.forebay.workflows.message.SpaceClaim;
import io.temporal.activity.Activity;
import io.temporal.failure.ApplicationFailure;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

/**
 * A region in memory with the rules of its etcd. It refuses a pin while EVICTING or while another
 * holder has a pin with the same id, and an eviction while a pin is alive. Every chunk has {@link
 * #CHUNK_BYTES} bytes.
 */
public final class FakeRegion implements RegionActivities {

    static final long CHUNK_BYTES = 10;

    private static final Duration BETWEEN_HEARTBEATS = Duration.ofMillis(10);

    public enum Step {
        FILL_FROM,
        MOUNT,
        WARM,
        CONFIRM,
        PIN,
        REMAINING,
        UNPIN,
        BEGIN_EVICTION,
        DROP
    }

    private enum Mount {
        NONE,
        WARMING,
        CACHED,
        EVICTING
    }

    private final Supplier<Instant> clock;
    private final List<Step> calls = Collections.synchronizedList(new ArrayList<>());
    private final List<SpaceClaim> claims = new CopyOnWriteArrayList<>();
    private final Map<Step, Queue<ErrorCode>> failures = new EnumMap<>(Step.class);
    private final Map<String, Instant> pins = new TreeMap<>();
    private final Map<String, Duration> leases = new HashMap<>();
    private final Map<String, String> holders = new HashMap<>();
    private final SortedSet<Long> held = new TreeSet<>();
    private Mount mount = Mount.NONE;
    private List<Sibling> sources = List.of();
    private volatile boolean down;
    private volatile boolean evictionsHelp;
    private final Gate warms = new Gate();
    private final Gate admissions = new Gate();
    private final Gate pinnings = new Gate();
    private final Gate unpinnings = new Gate();
    private final Gate remainders = new Gate();
    private final Gate drops = new Gate();
    private final Gate confirmations = new Gate();

    FakeRegion(Supplier<Instant> clock) {
        this.clock = clock;
    }

    /** Returns how often a step was attempted. */
    public long count(Step step) {
        synchronized (calls) {
            return calls.stream().filter(step::equals).count();
        }
    }

    /** Makes the next attempts of a step fail, one with each code. */
    public synchronized void fail(Step step, ErrorCode... codes) {
        failures.computeIfAbsent(step, _ -> new ArrayDeque<>()).addAll(List.of(codes));
    }

    /** Lets the next attempts of a step succeed again. */
    public synchronized void recover(Step step) {
        failures.remove(step);
    }

    /** Sets whether every call fails as if etcd were away. */
    void setDown(boolean value) {
        down = value;
    }

    /** Holds up every {@code warm} until {@link #openGate}. */
    public void closeGate() {
        closeGate(0);
    }

    /**
     * Holds up every {@code warm} from a chunk on until {@link #openGate}. A test that stops a fill
     * must wait for its second {@code warm}. The test server loses a stop that arrives before the
     * version's workflow knows that the child has started.
     */
    public void closeGate(long ordinal) {
        warms.closeFrom(ordinal);
    }

    public void openGate() {
        warms.open();
    }

    /** Sets whether admissions are held up. */
    void setAdmissionsWait(boolean value) {
        hold(admissions, value);
    }

    /** Sets whether pin calls are held up. */
    public void setPinsWait(boolean value) {
        hold(pinnings, value);
    }

    /** Sets whether unpin calls are held up. */
    public void setUnpinsWait(boolean value) {
        hold(unpinnings, value);
    }

    /** Sets whether answers about the remaining lifetime of pins are held up. */
    public void setRemaindersWait(boolean value) {
        hold(remainders, value);
    }

    /** Sets whether confirmations are held up. */
    void setConfirmationsWait(boolean value) {
        hold(confirmations, value);
    }

    /** Sets whether drops are held up. */
    void setDropsWait(boolean value) {
        hold(drops, value);
    }

    private static void hold(Gate gate, boolean closed) {
        if (closed) {
            gate.close();
        } else {
            gate.open();
        }
    }

    /** Renews a pin as its holder does, without the workflow. */
    synchronized void renew(String pinId) {
        pins.put(pinId, clock.get().plus(leases.get(pinId)));
    }

    /** Adds a pin that no workflow knows. */
    synchronized void pinBehindTheWorkflow(String pinId, Duration lease) {
        leases.put(pinId, lease);
        pins.put(pinId, clock.get().plus(lease));
    }

    public synchronized boolean isPinned(String pinId) {
        Instant end = pins.get(pinId);
        return end != null && end.isAfter(clock.get());
    }

    synchronized void forget() {
        mount = Mount.NONE;
        held.clear();
    }

    /** Adds a chunk as if a reader had asked for it. */
    synchronized void gainChunk(long ordinal) {
        held.add(ordinal);
    }

    public synchronized void loseChunk(long ordinal) {
        held.remove(ordinal);
    }

    public synchronized boolean isEmpty() {
        return mount == Mount.NONE && held.isEmpty();
    }

    synchronized String mount(DatasetVersion version, ManifestRef manifest) {
        called(Step.MOUNT);
        require(mount != Mount.EVICTING, ErrorCode.EVICTING);
        mount = mount == Mount.CACHED ? Mount.CACHED : Mount.WARMING;
        return "/mnt/forebay/" + version.path();
    }

    /** Returns all claims to space, in order. */
    public List<SpaceClaim> claims() {
        return List.copyOf(claims);
    }

    @Override
    public String admit(DatasetVersion version, ManifestRef manifest, SpaceClaim claim) {
        claims.add(claim);
        admissions.await();
        try {
            return mount(version, manifest);
        } catch (ApplicationFailure full) {
            throw evictionsHelp && full.getType().equals(ErrorCode.CAPACITY_EXCEEDED.name())
                    ? Failures.refusal(ErrorCode.CAPACITY_EXCEEDED, full.getOriginalMessage())
                    : full;
        }
    }

    /** Makes refusals for lack of space report that evictions would help. */
    public void evictionsHelp() {
        evictionsHelp = true;
    }

    /** Returns the sibling regions to ask before the lake. */
    synchronized List<Sibling> sources() {
        return sources;
    }

    @Override
    public synchronized void fillFrom(DatasetVersion version, List<Sibling> siblings) {
        called(Step.FILL_FROM);
        sources = siblings;
    }

    @Override
    public WarmResult warm(DatasetVersion version, ManifestRef manifest, long from, long to) {
        called(Step.WARM);
        while (!warms.awaitChunk(from, BETWEEN_HEARTBEATS)) {
            Activity.getExecutionContext().heartbeat(from);
        }
        return fill(from, to);
    }

    private synchronized WarmResult fill(long from, long to) {
        require(mount == Mount.WARMING || mount == Mount.CACHED, ErrorCode.NOT_FOUND);
        long fetched = 0;
        for (long ordinal = from; ordinal < to; ordinal++) {
            fetched += held.add(ordinal) ? CHUNK_BYTES : 0;
        }
        // The first chunks contain one file each.
        long files = Math.max(0, Math.min(to, FakeControlPlane.MANIFEST.objects()) - from);
        return new WarmResult((to - from) * CHUNK_BYTES, fetched, files);
    }

    @Override
    public Coverage confirm(DatasetVersion version, ManifestRef manifest) {
        called(Step.CONFIRM);
        confirmations.await();
        return coverage(manifest);
    }

    private synchronized Coverage coverage(ManifestRef manifest) {
        long missing = -1;
        for (long ordinal = manifest.chunks() - 1; ordinal >= 0; ordinal--) {
            missing = held.contains(ordinal) ? missing : ordinal;
        }
        if (missing < 0) {
            mount = Mount.CACHED;
        }
        long bytes = held.size() * CHUNK_BYTES;
        return new Coverage(bytes, missing, 0, sources.isEmpty() ? 0 : bytes);
    }

    @Override
    public Duration pin(DatasetVersion version, PinRequest request) {
        called(Step.PIN);
        pinnings.await();
        return grant(request);
    }

    private synchronized Duration grant(PinRequest request) {
        require(mount != Mount.NONE, ErrorCode.NOT_FOUND);
        require(mount != Mount.EVICTING, ErrorCode.EVICTING);
        boolean others =
                isPinned(request.id()) && !request.holder().equals(holders.get(request.id()));
        require(!others, ErrorCode.ALREADY_EXISTS);
        leases.put(request.id(), request.lease());
        holders.put(request.id(), request.holder());
        renew(request.id());
        return request.lease();
    }

    @Override
    public Map<String, Duration> remaining(DatasetVersion version, List<String> pinIds) {
        called(Step.REMAINING);
        Map<String, Duration> alive = alive(pinIds);
        remainders.await();
        return alive;
    }

    private synchronized Map<String, Duration> alive(List<String> pinIds) {
        Map<String, Duration> alive = new TreeMap<>();
        for (String id : pinIds) {
            if (isPinned(id)) {
                alive.put(id, Duration.between(clock.get(), pins.get(id)));
            }
        }
        return alive;
    }

    @Override
    public void unpin(DatasetVersion version, String pinId) {
        called(Step.UNPIN);
        unpinnings.await();
        end(pinId);
    }

    private synchronized void end(String pinId) {
        pins.remove(pinId);
    }

    @Override
    public synchronized void beginEviction(DatasetVersion version) {
        called(Step.BEGIN_EVICTION);
        require(pins.keySet().stream().noneMatch(this::isPinned), ErrorCode.PINNED);
        if (mount != Mount.NONE) {
            mount = Mount.EVICTING;
        }
    }

    @Override
    public void drop(DatasetVersion version, ManifestRef manifest) {
        called(Step.DROP);
        drops.await();
        forget();
    }

    private void called(Step step) {
        calls.add(step);
        ErrorCode code;
        synchronized (this) {
            Queue<ErrorCode> queue = failures.get(step);
            code = queue == null ? null : queue.poll();
        }
        require(!down, ErrorCode.UNAVAILABLE);
        require(code == null, code == null ? ErrorCode.INTERNAL : code);
    }

    private static void require(boolean holds, ErrorCode code) {
        if (!holds) {
            throw Failures.of(new ForebayException(code, "the fake region says " + code));
        }
    }
}
