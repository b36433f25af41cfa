package dev.forebay.membership.etcd;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.forebay.membership.Keys;
import dev.forebay.membership.RegionView;
import dev.forebay.membership.rows.RegionFileWriter;
import dev.forebay.membership.rows.RegionTable;
import dev.forebay.membership.rows.RegionTable.Fingerprint;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.thread.CatchAll;
import dev.forebay.thread.PeriodicTask;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.Watch;
import io.etcd.jetcd.kv.GetResponse;
import io.etcd.jetcd.watch.WatchEvent;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a {@link RegionView} current, on one thread that owns the table.
 *
 * <p>The thread reads everything at some revision and watches from the next one. After any failure
 * of the watch, it reads everything again. It does not rely on the watch to report a failure.
 * Watches of jetcd are known to fall silent (jetcd 1383, 965, 1322), and a resumed one may skip
 * events. Every few seconds the thread therefore compares the number of keys and the newest
 * revision with etcd's. Two failed comparisons in a row mean that events are missing.
 */
final class RegionWatch implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(RegionWatch.class);
    private static final int MAX_SIGNALS = 10_000;

    /**
     * Allows for a machine where everything starts at once: the first answer takes some seconds
     * there.
     */
    private static final Duration SILENCE_WARNING = Duration.ofSeconds(15);

    private static final Object NO_WATCH = new Object();

    /**
     * The time after which a caller that waits requests another comparison, because events were
     * still on their way in the last one.
     */
    private static final Duration REPEAT_COMPARISON = Duration.ofMillis(250);

    private sealed interface Signal {
        record Changed(Object watch, List<WatchEvent> events) implements Signal {}

        record Broken(Object watch, String why) implements Signal {}

        /** A new listener has not been called yet. */
        record Subscribed() implements Signal {}

        record Unanswered() implements Signal {}

        /** A caller of {@link RegionWatch#catchUp} waits for a comparison with etcd. */
        record Doubted() implements Signal {}
    }

    private final EtcdConnection connection;
    private final String root;
    private final Optional<RegionFileWriter> memory;
    private final RegionTable table = new RegionTable();
    private final ViewListeners listeners = new ViewListeners();
    private final BlockingQueue<Signal> signals = new LinkedBlockingQueue<>(MAX_SIGNALS);
    private final CountDownLatch firstSnapshot = new CountDownLatch(1);
    private final AtomicBoolean doubted = new AtomicBoolean();
    private final ViewFreshness confirmation = new ViewFreshness();
    private final OneTimeWarning silence = new OneTimeWarning(SILENCE_WARNING, System::nanoTime);
    private final PeriodicTask task;
    private boolean unpublished;
    private Fingerprint remembered = new Fingerprint(-1, -1);
    private volatile @Nullable RegionView view;
    private volatile boolean connected;
    private volatile boolean overflowed;
    private volatile boolean closed;

    /**
     * @param memory the stored keys to use if etcd does not answer at the start
     */
    RegionWatch(EtcdConnection connection, Keys keys, Optional<RegionFileWriter> memory) {
        this.connection = connection;
        this.root = keys.root();
        this.memory = memory;
        this.task =
                new PeriodicTask(
                        Thread.ofVirtual().name("region-watch"),
                        Duration.ZERO,
                        connection.config().retryDelay(),
                        "The region's view may be stale",
                        this::round);
    }

    /** Starts the thread, and waits a limited time for the first snapshot. */
    void start(Duration timeout) {
        task.start();
        try {
            if (!firstSnapshot.await(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
                LOG.info("Continuing without the state of region {} until etcd answers", root);
                send(new Signal.Unanswered());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    RegionView view() {
        RegionView current = view;
        if (current == null) {
            throw new ForebayException(
                    ErrorCode.UNAVAILABLE,
                    "etcd at %s has not answered since this process started: check its members, and that this machine reaches them"
                            .formatted(connection.config().endpoints()));
        }
        return current;
    }

    int rowsNotUnderstood() {
        RegionView current = view;
        return current == null ? 0 : current.notUnderstood().size();
    }

    boolean connected() {
        return connected;
    }

    boolean confirmedSince(long nanos) {
        return confirmation.isSince(nanos);
    }

    /**
     * Waits for a comparison with etcd that began after this call. Callers that wait at the same
     * time share one comparison.
     *
     * @throws ForebayException {@code UNAVAILABLE} if etcd is away, or does not answer in time
     */
    void catchUp(Duration timeout) {
        long asked = System.nanoTime();
        try {
            do {
                if (!connected || System.nanoTime() - asked > timeout.toNanos()) {
                    throw new ForebayException(
                            ErrorCode.UNAVAILABLE,
                            "etcd at %s reports no changes, so the state of the region may be out of date: check its members, and retry"
                                    .formatted(connection.config().endpoints()));
                }
                if (doubted.compareAndSet(false, true) && !signals.offer(new Signal.Doubted())) {
                    doubted.set(false); // so that the next attempt sends the signal
                }
            } while (!confirmation.awaitSince(asked, REPEAT_COMPARISON));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ForebayException(
                    ErrorCode.UNAVAILABLE, "interrupted while waiting for etcd: retry", e);
        }
    }

    /** Adds a listener. The watch's thread calls it soon, at the latest after the next check. */
    void subscribe(Consumer<RegionView> listener) {
        listeners.add(listener);
        // If the queue is full, the listener is called for the changes in it.
        boolean _ = signals.offer(new Signal.Subscribed());
    }

    private void send(Signal signal) {
        if (!signals.offer(signal)) {
            overflowed = true;
        }
    }

    /** Follows etcd, and after a failure waits before the next round. */
    private void round() {
        boolean followed = false;
        try {
            followed = CatchAll.run(this::follow, this::lost);
        } finally {
            if (!followed) {
                connected = false;
            }
        }
        if (!followed && !closed) {
            refresh();
            followFor(connection.config().retryDelay(), NO_WATCH);
            updateListeners();
        }
    }

    private void lost(Throwable e) {
        if (connected && !closed) {
            warn(e);
        }
        if (view == null && !closed && silence.isWorthAWarning()) {
            LOG.warn(
                    "etcd at {} has not answered for {} s. Check its members, and that this machine "
                            + "reaches them: {}",
                    connection.config().endpoints(),
                    SILENCE_WARNING.toSeconds(),
                    e.getMessage());
        }
    }

    /** Logs a warning, with a stack trace only for a defect: an etcd that is away needs none. */
    private static void warn(Throwable e) {
        String what = "The region's state may be out of date from now on";
        if (e instanceof ForebayException) {
            LOG.warn("{}: {}", what, e.getMessage());
            LOG.debug("{}", what, e);
        } else {
            LOG.warn("{}", what, e);
        }
    }

    private void refresh() {
        boolean _ =
                CatchAll.run(
                        connection::refresh,
                        e -> LOG.warn("Cannot open a new connection to etcd; retrying", e));
    }

    /**
     * Follows etcd until the watch breaks or falls silent. The caller then calls it again. Throws
     * if etcd is away.
     */
    private void follow() {
        long asked = System.nanoTime();
        GetResponse snapshot = connection.run(session -> session.range(root));
        table.replace(() -> snapshot.getKvs().forEach(this::put));
        publish();
        remember();
        confirmation.give(asked);
        if (!connected) {
            LOG.info("Connected to etcd; {} keys below {}", snapshot.getCount(), root);
        }
        connected = true;
        // Signalled only now, because callers that wait for the snapshot may next need a
        // connection.
        firstSnapshot.countDown();
        overflowed = false;
        Object watch = new Object();
        long next = snapshot.getHeader().getRevision() + 1;
        try (Watch.Watcher _ = connection.watch(EtcdSession.bytes(root), next, listener(watch))) {
            Optional<String> broken = Optional.empty();
            while (!closed && broken.isEmpty()) {
                broken = followFor(connection.config().checkInterval(), watch).or(this::check);
                updateListeners();
                remember();
            }
            broken.ifPresent(why -> LOG.info("Reading the region's state again: {}", why));
        }
    }

    private Watch.Listener listener(Object watch) {
        return Watch.listener(
                answer -> send(new Signal.Changed(watch, answer.getEvents())),
                failure -> send(new Signal.Broken(watch, String.valueOf(failure.getMessage()))),
                () -> send(new Signal.Broken(watch, "the watch ended")));
    }

    /**
     * Applies incoming signals for a while, or until a caller requests a comparison. Returns the
     * reason if the watch broke.
     */
    private Optional<String> followFor(Duration time, Object watch) {
        long until = System.nanoTime() + time.toNanos();
        while (!closed && !overflowed) {
            Signal signal = poll(until - System.nanoTime());
            if (signal == null) {
                return Optional.empty();
            }
            switch (signal) {
                case Signal.Changed(Object from, List<WatchEvent> events) when from == watch -> {
                    events.forEach(this::apply);
                    unpublished = true;
                }
                case Signal.Broken(Object from, String why) when from == watch -> {
                    return Optional.of(why);
                }
                case Signal.Unanswered() -> recall();
                case Signal.Doubted() -> {
                    doubted.set(false);
                    if (watch != NO_WATCH) {
                        publishChanges();
                        return Optional.empty();
                    }
                }
                case Signal.Subscribed() -> updateListeners();
                case Signal.Changed _, Signal.Broken _ -> {} // sent by an earlier watch
            }
            if (signals.isEmpty()) {
                publishChanges();
            }
        }
        return overflowed ? Optional.of("too many changes at once") : Optional.empty();
    }

    private Optional<String> check() {
        if (closed || sameAsEtcd()) {
            return Optional.empty();
        }
        // Events may be on their way: let them arrive, then compare again.
        Fingerprint before = table.fingerprint();
        awaitQuietly(Duration.ofMillis(200));
        return signals.isEmpty() && before.equals(table.fingerprint()) && !sameAsEtcd()
                ? Optional.of("the watch sends no events")
                : Optional.empty();
    }

    private boolean sameAsEtcd() {
        long asked = System.nanoTime();
        boolean same =
                connection.run(session -> session.fingerprint(root)).equals(table.fingerprint());
        if (same) {
            confirmation.give(asked);
        }
        return same;
    }

    private void apply(WatchEvent event) {
        switch (event.getEventType()) {
            case PUT -> put(event.getKeyValue());
            case DELETE -> table.delete(relative(event.getKeyValue()));
            case UNRECOGNIZED -> {}
        }
    }

    private void put(KeyValue pair) {
        table.put(relative(pair), pair.getValue().getBytes(), pair.getModRevision());
    }

    private String relative(KeyValue pair) {
        return pair.getKey().toString(UTF_8).substring(root.length());
    }

    private void remember() {
        Fingerprint now = table.fingerprint();
        if (!now.equals(remembered)) {
            memory.ifPresent(file -> file.remember(table.values()));
            remembered = now;
        }
    }

    private void recall() {
        if (view != null) {
            return;
        }
        memory.flatMap(RegionFileWriter::recall)
                .ifPresent(
                        keys -> {
                            keys.forEach((key, value) -> table.put(key, value.getBytes(UTF_8), 0));
                            publish();
                            LOG.warn("etcd does not answer; continuing with the stored state");
                        });
    }

    private void publishChanges() {
        if (unpublished) {
            publish();
        }
    }

    private void publish() {
        unpublished = false;
        RegionView next = table.view();
        warnOfLaterRelease(next.notUnderstood());
        if (!next.equals(view)) {
            view = next;
        }
        updateListeners();
    }

    /** Logs a warning once for each row. */
    private void warnOfLaterRelease(Set<String> keys) {
        RegionView before = view;
        Set<String> known = before == null ? Set.of() : before.notUnderstood();
        for (String key : keys) {
            if (!known.contains(key)) {
                LOG.warn(
                        "Ignoring etcd key {}{}, because a later release wrote it: upgrade this "
                                + "process",
                        root,
                        key);
            }
        }
    }

    private void updateListeners() {
        RegionView current = view;
        if (current != null) {
            listeners.update(current);
        }
    }

    private @Nullable Signal poll(long nanos) {
        try {
            return signals.poll(nanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            closed = true;
            return null;
        }
    }

    private void awaitQuietly(Duration time) {
        try {
            Thread.sleep(time);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            closed = true;
        }
    }

    @Override
    public void close() {
        closed = true;
        connected = false;
        memory.ifPresent(RegionFileWriter::close);
        task.interrupt();
    }
}
