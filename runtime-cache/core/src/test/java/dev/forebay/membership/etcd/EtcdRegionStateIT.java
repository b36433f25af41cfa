package dev.forebay.membership.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.forebay.membership.Keys;
import dev.forebay.membership.Mount;
import dev.forebay.membership.Mount.State;
import dev.forebay.membership.Pin;
import dev.forebay.membership.RegionView;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.Sibling;
import dev.forebay.placement.WorkerNode;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.KeyValue;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class EtcdRegionStateIT extends RegionOnEtcd {

    private static Pin bobs(String id) {
        return new Pin(VERSION, id, "bob", "training", Duration.ofMinutes(10));
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static boolean hasMounts(List<RegionView> views) {
        return views.stream().anyMatch(view -> !view.mounts().isEmpty());
    }

    /** Neither Java's proxy properties nor their exceptions have an effect. */
    @Test
    void connectionsToEtcdBypassTheProxy() throws Exception {
        Map<String, String> proxy =
                Map.of(
                        "https.proxyHost", "127.0.0.1",
                        "https.proxyPort", "9",
                        "http.nonProxyHosts", "nothing",
                        "socksProxyHost", "127.0.0.1",
                        "socksProxyPort", "9",
                        "socksNonProxyHosts", "nothing");
        proxy.forEach(System::setProperty);
        try {
            connected().mount(VERSION, MANIFEST);
        } finally {
            proxy.keySet().forEach(System::clearProperty);
        }
        mountsBecome(new Mount(VERSION, MANIFEST, State.WARMING));
    }

    @Test
    void aFailingListenerIsNotifiedAgainAndDoesNotAffectOthers() {
        AtomicInteger failures = new AtomicInteger();
        List<RegionView> told = new CopyOnWriteArrayList<>();
        List<RegionView> toldOther = new CopyOnWriteArrayList<>();
        state.onChange(
                view -> {
                    if (!view.mounts().isEmpty() && failures.getAndIncrement() == 0) {
                        throw new OutOfMemoryError("simulated");
                    }
                    told.add(view);
                });
        state.onChange(toldOther::add);

        state.mount(VERSION, MANIFEST);
        eventually("the other listener is notified", () -> hasMounts(toldOther));
        eventually("the listener is notified again", () -> hasMounts(told));
        assertThat(failures).hasValue(2);
    }

    /** A change and a new listener arrive while another listener blocks the watch's thread. */
    @Test
    void aChangeIsNotLostIfAListenerSubscribesRightAfterIt() throws Exception {
        EtcdRegionState other = connected();
        for (int i = 0; i < 10; i++) {
            DatasetVersion version = DatasetVersion.of("ns", "data", "v" + i);
            CountDownLatch held = new CountDownLatch(1);
            CountDownLatch goOn = new CountDownLatch(1);
            state.onChange(
                    _ -> {
                        held.countDown();
                        awaitQuietly(goOn);
                    });
            held.await();
            other.mount(version, MANIFEST);
            eventually(
                    "the other process sees the change",
                    () ->
                            other.view().mounts().stream()
                                    .anyMatch(it -> it.version().equals(version)));
            state.onChange(_ -> {});
            goOn.countDown();
            eventually("the change is seen", () -> state.view().equals(other.view()));
        }
    }

    @Test
    void aMountGoesThroughItsStates() {
        state.mount(VERSION, MANIFEST);
        mountsBecome(new Mount(VERSION, MANIFEST, State.WARMING));
        state.markCached(VERSION);
        state.markCached(VERSION);
        mountsBecome(new Mount(VERSION, MANIFEST, State.CACHED));
        state.mount(VERSION, MANIFEST);
        assertThat(connected().view().mounts().getFirst().state()).isEqualTo(State.CACHED);
        refuses(ErrorCode.INTERNAL, () -> state.unmount(VERSION));
        state.beginEviction(VERSION);
        state.beginEviction(VERSION);
        mountsBecome(new Mount(VERSION, MANIFEST, State.EVICTING));
        refuses(ErrorCode.EVICTING, () -> state.mount(VERSION, MANIFEST));
        refuses(ErrorCode.EVICTING, () -> state.markCached(VERSION));
        refuses(ErrorCode.EVICTING, () -> state.pin(pin("p", 10)));
        state.unmount(VERSION);
        state.unmount(VERSION);
        mountsBecome();
        refuses(ErrorCode.NOT_FOUND, () -> state.markCached(VERSION));
        refuses(ErrorCode.NOT_FOUND, () -> state.pin(pin("p", 10)));
        state.beginEviction(VERSION);
    }

    @Test
    void mountingAnotherManifestSetsTheVersionToWarming() {
        state.mount(VERSION, MANIFEST);
        state.markCached(VERSION);
        state.mount(VERSION, manifest('b'));
        mountsBecome(new Mount(VERSION, manifest('b'), State.WARMING));
    }

    @Test
    void aPinPreventsEvictionUntilItIsReleased() {
        state.mount(VERSION, MANIFEST);
        state.pin(pin("job-1", 30));
        state.pin(pin("job-1", 60));
        state.pin(pin("job-11", 30));
        eventually("pins", () -> state.view().pins().size() == 2);
        assertThat(state.remaining(VERSION, "job-1").orElseThrow())
                .isBetween(Duration.ofSeconds(31), Duration.ofSeconds(60));
        assertThat(state.renew(VERSION, "job-11")).contains(Duration.ofSeconds(30));
        assertThatExceptionOfType(ForebayException.class)
                .isThrownBy(() -> state.beginEviction(VERSION))
                .matches(e -> e.code() == ErrorCode.PINNED)
                .withMessageContaining("alice (pin job-1), alice (pin job-11)");
        state.unpin(VERSION, "job-1");
        state.unpin(VERSION, "job-1");
        assertThat(state.remaining(VERSION, "job-1")).isEmpty();
        refuses(ErrorCode.PINNED, () -> state.beginEviction(VERSION));
        state.unpin(VERSION, "job-11");
        state.beginEviction(VERSION);
        mountsBecome(new Mount(VERSION, MANIFEST, State.EVICTING));
        assertThat(state.view().pins()).isEmpty();
    }

    @Test
    void unpinReleasesOnlyThePinThatTheCallerHasSeen() {
        state.mount(VERSION, MANIFEST);
        Pin seen = ofJob("uid-1");
        state.pin(seen);
        state.pin(ofJob("uid-2"));

        assertThat(state.unpin(seen)).isFalse();
        assertThat(state.remaining(VERSION, seen.id())).isPresent();

        assertThat(state.unpin(ofJob("uid-2"))).isTrue();
        assertThat(state.remaining(VERSION, seen.id())).isEmpty();
        assertThat(state.unpin(ofJob("uid-2"))).isFalse();
    }

    private static Pin ofJob(String uid) {
        return new Pin(VERSION, "run", "alice", "training", Duration.ofMinutes(1), uid);
    }

    @Test
    void aPinIdOfAnotherHolderIsRefused() {
        state.mount(VERSION, MANIFEST);
        state.pin(pin("p", 30));
        assertThatExceptionOfType(ForebayException.class)
                .isThrownBy(() -> state.pin(bobs("p")))
                .matches(e -> e.code() == ErrorCode.ALREADY_EXISTS)
                .withMessageContaining("'alice'");
        assertThat(state.remaining(VERSION, "p").orElseThrow())
                .isLessThanOrEqualTo(Duration.ofSeconds(30));
        eventually("pin", () -> state.view().pins().equals(List.of(pin("p", 30))));

        state.unpin(VERSION, "p");
        state.pin(bobs("p"));
        eventually("pin", () -> state.view().pins().equals(List.of(bobs("p"))));
    }

    @Test
    void onlyOneOfSeveralHoldersGetsTheSamePinId() throws Exception {
        EtcdRegionState other = connected();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int round = 0; round < 30; round++) {
                DatasetVersion version = DatasetVersion.of("race", "id", "v" + round);
                state.mount(version, MANIFEST);
                CyclicBarrier start = new CyclicBarrier(4);
                List<Future<ErrorCode>> pins = new ArrayList<>();
                for (int each = 0; each < 4; each++) {
                    EtcdRegionState one = each % 2 == 0 ? state : other;
                    Pin pin = new Pin(version, "p", "holder" + each, "", Duration.ofSeconds(60));
                    pins.add(threads.submit(race(start, () -> one.pin(pin))));
                }
                // INVALID_ARGUMENT stands for success here.
                assertThat(outcomes(pins))
                        .containsExactlyInAnyOrder(
                                ErrorCode.INVALID_ARGUMENT,
                                ErrorCode.ALREADY_EXISTS,
                                ErrorCode.ALREADY_EXISTS,
                                ErrorCode.ALREADY_EXISTS);
            }
        }
    }

    @Test
    void aPinOfAnotherVersionDoesNotPreventEviction() {
        DatasetVersion longer = DatasetVersion.of("vision", "digits", "v11");
        state.mount(VERSION, MANIFEST);
        state.mount(longer, MANIFEST);
        state.pin(new Pin(longer, "p", "bob", "", Duration.ofSeconds(30)));
        state.beginEviction(VERSION);
    }

    @Test
    void theViewListsTheSiblingsOfAVersionUntilItIsUnmounted() {
        Sibling near = new Sibling(URI.create("http://agent.near:8080"), true);
        Sibling far = new Sibling(URI.create("https://agent.far:8443"), false);
        state.fillFrom(VERSION, List.of(near, far));
        state.mount(VERSION, MANIFEST);
        eventually("both", () -> siblings().equals(List.of(near, far)));

        state.fillFrom(VERSION, List.of(far));
        eventually("one", () -> siblings().equals(List.of(far)));
        state.fillFrom(VERSION, List.of());
        eventually("the lake", () -> siblings().isEmpty());
        refuses(
                ErrorCode.INVALID_ARGUMENT,
                () -> state.fillFrom(VERSION, Collections.nCopies(Sibling.MOST + 1, far)));

        state.fillFrom(VERSION, List.of(near));
        state.beginEviction(VERSION);
        state.unmount(VERSION);
        state.mount(VERSION, MANIFEST);
        mountsBecome(new Mount(VERSION, MANIFEST, State.WARMING));
        assertThat(siblings()).isEmpty();
    }

    @Test
    void unmountRemovesTheSiblingsOfAVersionThatWasNeverMounted() {
        state.fillFrom(VERSION, List.of(new Sibling(URI.create("http://agent.near:8080"), true)));
        state.unmount(VERSION);

        state.mount(VERSION, MANIFEST);
        mountsBecome(new Mount(VERSION, MANIFEST, State.WARMING));
        assertThat(siblings()).isEmpty();
    }

    private List<Sibling> siblings() {
        return state.view().siblings(MANIFEST.digest());
    }

    @Test
    void aPinExpiresIfItIsNotRenewed() {
        state.mount(VERSION, MANIFEST);
        state.pin(pin("short", 4));
        eventually("pin", () -> state.view().pins().size() == 1);
        eventually("no pin", () -> state.view().pins().isEmpty());
        assertThat(state.renew(VERSION, "short")).isEmpty();
        assertThat(state.remaining(VERSION, "short")).isEmpty();
        state.beginEviction(VERSION);
    }

    @Test
    void onlyTheFirstRenewalOfAPinChangesTheView() {
        state.mount(VERSION, MANIFEST);
        state.pin(pin("p", 4));
        eventually(
                "a pin for a fixed term", () -> state.view().pins().equals(List.of(pin("p", 4))));
        assertThat(state.renew(VERSION, "p")).isPresent();
        eventually(
                "a pin that is renewed",
                () -> state.view().pins().equals(List.of(pin("p", 4).asRenewed())));
        RegionView before = state.view();
        long end = System.nanoTime() + Duration.ofSeconds(7).toNanos();
        eventually(
                "longer than its lease",
                () -> {
                    assertThat(state.renew(VERSION, "p")).isPresent();
                    return System.nanoTime() > end;
                });
        assertThat(state.view()).isSameAs(before);
    }

    @Test
    void aRaceOfPinsAndEvictionsHasOneWinner() throws Exception {
        EtcdRegionState other = connected();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int round = 0; round < 60; round++) {
                DatasetVersion version = DatasetVersion.of("race", "d", "v" + round);
                state.mount(version, MANIFEST);
                CyclicBarrier start = new CyclicBarrier(6);
                List<Future<ErrorCode>> pins = new ArrayList<>();
                List<Future<ErrorCode>> evictions = new ArrayList<>();
                for (int each = 0; each < 3; each++) {
                    EtcdRegionState one = each % 2 == 0 ? state : other;
                    Pin pin = new Pin(version, "p" + each, "h", "", Duration.ofSeconds(60));
                    pins.add(threads.submit(race(start, () -> one.pin(pin))));
                    evictions.add(threads.submit(race(start, () -> one.beginEviction(version))));
                }
                List<ErrorCode> pinned = outcomes(pins);
                List<ErrorCode> evicted = outcomes(evictions);
                // INVALID_ARGUMENT stands for success here.
                boolean pinWon =
                        pinned.stream().allMatch(ErrorCode.INVALID_ARGUMENT::equals)
                                && evicted.stream().allMatch(ErrorCode.PINNED::equals);
                boolean evictionWon =
                        pinned.stream().allMatch(ErrorCode.EVICTING::equals)
                                && evicted.stream().allMatch(ErrorCode.INVALID_ARGUMENT::equals);
                assertThat(pinWon ^ evictionWon)
                        .as("round %d: pins %s, evictions %s", round, pinned, evicted)
                        .isTrue();
            }
        }
    }

    private static Callable<ErrorCode> race(CyclicBarrier start, Runnable action) {
        return () -> {
            start.await();
            try {
                action.run();
                return ErrorCode.INVALID_ARGUMENT;
            } catch (ForebayException e) {
                return e.code();
            }
        };
    }

    private static List<ErrorCode> outcomes(List<Future<ErrorCode>> futures) throws Exception {
        List<ErrorCode> outcomes = new ArrayList<>();
        for (Future<ErrorCode> future : futures) {
            outcomes.add(future.get());
        }
        return outcomes;
    }

    @Test
    void aStoppedWorkerStaysRegisteredUntilItIsRemoved() throws Exception {
        WorkerNode worker = new WorkerNode("w1", URI.create("http://127.0.0.1:1"), 10);
        EtcdRegionState process = connected();
        AutoCloseable presence = process.join(worker);
        eventually("live", () -> state.view().live().contains("w1"));
        assertThat(state.view().workers()).containsExactly(worker);
        state.remove("w1", Duration.ofMinutes(1));
        assertThat(connected().view().workers()).containsExactly(worker);
        presence.close();
        eventually("not live", () -> state.view().live().isEmpty());
        assertThat(state.view().workers()).containsExactly(worker);
        state.remove("w1", Duration.ofMinutes(1));
        eventually("gone", () -> state.view().workers().isEmpty());
        assertThat(connected().view().departed()).containsExactly(worker);

        opened.add(process.join(worker));
        eventually("back", () -> state.view().live().contains("w1"));
        assertThat(state.view().departed()).isEmpty();
    }

    @Test
    void aRemovedWorkerIsForgottenAfterTheGivenDuration() throws Exception {
        state.join(new WorkerNode("w1", URI.create("http://127.0.0.1:1"), 10)).close();
        state.remove("w1", Duration.ofSeconds(1));
        eventually(
                "forgotten",
                () -> state.view().workers().isEmpty() && state.view().departed().isEmpty());
    }

    @Test
    void aWorkerWhoseLeaseWasLostRegistersAgain() throws Exception {
        WorkerNode worker = new WorkerNode("w1", URI.create("http://127.0.0.1:1"), 10);
        AutoCloseable presence = state.join(worker);
        eventually("live", () -> state.view().live().contains("w1"));
        try (Client client = Client.builder().endpoints(etcd.endpoint()).build()) {
            long lost = lease(client).orElseThrow();
            client.getLeaseClient().revoke(lost).get();
            client.getKVClient().delete(EtcdSession.bytes(Keys.of(region).worker("w1"))).get();
            // The test waits for another lease, because it could miss the short time without one.
            eventually(
                    "another lease",
                    () -> {
                        OptionalLong now = lease(client);
                        return now.isPresent() && now.getAsLong() != lost;
                    });
        }
        eventually(
                "live and registered again",
                () ->
                        state.view().live().contains("w1")
                                && state.view().workers().equals(List.of(worker)));
        presence.close();
    }

    /** Returns the lease by which the worker is live. */
    private OptionalLong lease(Client client) {
        return client
                .getKVClient()
                .get(EtcdSession.bytes(Keys.of(region).live("w1")))
                .join()
                .getKvs()
                .stream()
                .mapToLong(KeyValue::getLease)
                .findFirst();
    }

    @Test
    void aDeadWorkersLeaseExpires() {
        EtcdConnection dying = new EtcdConnection(config());
        WorkerNode worker = new WorkerNode("w1", URI.create("http://127.0.0.1:1"), 10);
        new LeasedWorkerRegistration(dying, config(), Keys.of(region), worker).start();
        eventually("live", () -> state.view().live().contains("w1"));
        dying.close();
        eventually("not live", () -> state.view().live().isEmpty());
        assertThat(state.view().workers()).containsExactly(worker);
    }

    @Test
    void aWorkerStaysLiveWhenRenewalsFailWithErrors() {
        EtcdConnection connection = new EtcdConnection(config());
        opened.add(connection);
        FailingEtcd etcdThatFails = new FailingEtcd(connection);
        etcdThatFails.errors.set(2);
        WorkerNode worker = new WorkerNode("w1", URI.create("http://127.0.0.1:1"), 10);
        LeasedWorkerRegistration presence =
                new LeasedWorkerRegistration(etcdThatFails, config(), Keys.of(region), worker);
        presence.start();
        opened.add(presence);
        eventually("live", () -> state.view().live().contains("w1"));

        etcdThatFails.errors.set(2);
        eventually("renewals have failed", () -> etcdThatFails.errors.get() == 0);
        int before = etcdThatFails.calls.get();
        eventually("it is renewed", () -> etcdThatFails.calls.get() > before + 1);
        assertThat(state.view().live()).contains("w1");
    }

    /** Forwards calls to etcd, and fails some of them as when memory runs out. */
    private static final class FailingEtcd implements EtcdAccess {
        private final EtcdAccess etcd;
        private final AtomicInteger errors = new AtomicInteger();
        private final AtomicInteger calls = new AtomicInteger();

        FailingEtcd(EtcdAccess etcd) {
            this.etcd = etcd;
        }

        @Override
        public <T> T with(Function<EtcdCalls, T> work) {
            if (errors.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                throw new OutOfMemoryError("simulated");
            }
            calls.incrementAndGet();
            return etcd.with(work);
        }
    }

    @Test
    void catchUpDeliversAllEarlierChanges() {
        EtcdRegionState behind = connected();
        List<RegionView> told = new CopyOnWriteArrayList<>();
        behind.onChange(told::add);
        for (int i = 0; i < 100; i++) {
            DatasetVersion version = DatasetVersion.of("ns", "data", "v" + i);
            state.mount(version, MANIFEST);
            behind.catchUp();

            assertThat(behind.view().mounts()).extracting(Mount::version).contains(version);
            assertThat(told.getLast()).isEqualTo(behind.view());
        }
    }

    @Test
    void theViewIgnoresRowsThatItCannotParse() throws Exception {
        try (Client client = Client.builder().endpoints(etcd.endpoint()).build()) {
            for (String key : List.of("mounts/a/b/c", "mounts/a", "pins/x", "else")) {
                client.getKVClient()
                        .put(
                                EtcdSession.bytes(Keys.of(region).root() + key),
                                EtcdSession.bytes("{\"state\":\"NEW\"}"))
                        .get();
            }
        }
        state.mount(VERSION, MANIFEST);
        mountsBecome(new Mount(VERSION, MANIFEST, State.WARMING));
    }

    @Test
    void pinRefusesInvalidIdsAndAnEmptyLease() {
        state.mount(VERSION, MANIFEST);
        for (String id : List.of("", "a/b", "x".repeat(65), "ä")) {
            refuses(ErrorCode.INVALID_ARGUMENT, () -> state.pin(pin(id, 10)));
        }
        refuses(ErrorCode.INVALID_ARGUMENT, () -> state.pin(pin("p", 0)));
        assertThat(connected().view().pins()).isEmpty();
    }
}
