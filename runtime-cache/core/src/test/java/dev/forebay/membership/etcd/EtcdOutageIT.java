package dev.forebay.membership.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.membership.Keys;
import dev.forebay.membership.Mount;
import dev.forebay.membership.Mount.State;
import dev.forebay.membership.RegionView;
import dev.forebay.membership.rows.RegionFile;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.placement.WorkerNode;
import io.etcd.jetcd.Client;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the state of a region while its etcd is away, and after etcd is back. */
class EtcdOutageIT extends RegionOnEtcd {

    @Test
    void theViewStaysDuringAnOutageAndCatchesUpAfterwards() throws Exception {
        WorkerNode worker = new WorkerNode("w1", URI.create("http://127.0.0.1:1"), 10);
        state.join(worker);
        state.mount(VERSION, MANIFEST);
        state.pin(pin("p", 60));
        eventually(
                "pin and live", () -> state.view().pins().size() + state.view().live().size() == 2);
        RegionView before = state.view();
        List<RegionView> seen = Collections.synchronizedList(new ArrayList<>());
        state.onChange(seen::add);
        etcd.kill9();
        try {
            eventually("disconnected", () -> !state.connected());
            assertThat(state.view()).isEqualTo(before);
            refuses(ErrorCode.UNAVAILABLE, () -> state.unmount(VERSION));
        } finally {
            etcd.restart();
        }
        EtcdRegionState other = connected();
        other.markCached(VERSION);
        eventually("connected", () -> state.connected());
        mountsBecome(new Mount(VERSION, MANIFEST, State.CACHED));
        assertThat(state.renew(VERSION, "p")).isPresent();
        // The worker's lease may expire before the worker reaches etcd again.
        eventually("live", () -> state.view().live().equals(Set.of("w1")));
        eventually(
                "the listener is notified",
                () -> !seen.isEmpty() && seen.getLast().equals(state.view()));
        assertThat(seen.getFirst()).isEqualTo(before);
    }

    @Test
    void compactionDuringAPauseDoesNotLoseChanges() throws Exception {
        state.mount(VERSION, MANIFEST);
        mountsBecome(new Mount(VERSION, MANIFEST, State.WARMING));
        etcd.pause();
        eventually("disconnected", () -> !state.connected());
        etcd.resume();
        try (Client client = Client.builder().endpoints(etcd.endpoint()).build()) {
            EtcdRegionState other = connected();
            other.markCached(VERSION);
            long revision =
                    client.getKVClient()
                            .get(EtcdSession.bytes("x"))
                            .get()
                            .getHeader()
                            .getRevision();
            client.getKVClient().compact(revision).get();
        }
        mountsBecome(new Mount(VERSION, MANIFEST, State.CACHED));
        eventually("connected", () -> state.connected());
        state.beginEviction(VERSION);
        mountsBecome(new Mount(VERSION, MANIFEST, State.EVICTING));
    }

    @Test
    void aProcessStartsWithoutEtcdAndConnectsLater() {
        etcd.kill9();
        EtcdRegionState early;
        try {
            early =
                    EtcdRegionState.connect(
                            new EtcdConfig(
                                    List.of(etcd.endpoint()),
                                    Duration.ofSeconds(1),
                                    Duration.ofSeconds(3),
                                    Duration.ofMillis(500),
                                    Duration.ofMillis(500)),
                            region);
            opened.add(early);
            assertThat(early.connected()).isFalse();
            refuses(ErrorCode.UNAVAILABLE, early::view);
        } finally {
            etcd.restart();
        }
        eventually("connected", early::connected);
        assertThat(early.view().mounts()).isEmpty();
    }

    @Test
    void aProcessStartsWithoutEtcdFromItsRememberedView(@TempDir Path own) {
        Path memory = own.resolve("last-region-view");
        EtcdRegionState before = EtcdRegionState.connect(config(), region, memory);
        opened.add(before);
        state.mount(VERSION, MANIFEST);
        mountsBecome(new Mount(VERSION, MANIFEST, State.WARMING));
        RegionFile remembered = new RegionFile(memory, Keys.of(region).root());
        eventually(
                "remembered",
                () -> remembered.read().orElse(Map.of()).containsKey("mounts/" + VERSION.path()));
        before.close();
        RegionView seen = state.view();
        etcd.kill9();
        EtcdRegionState early;
        try {
            early = EtcdRegionState.connect(config(), region, memory);
            opened.add(early);
            List<RegionView> told = new CopyOnWriteArrayList<>();
            early.onChange(told::add);
            eventually("recalled", () -> told.equals(List.of(seen)));
            assertThat(early.view()).isEqualTo(seen);
            assertThat(early.connected()).isFalse();
            assertThat(early.confirmedSince(Long.MIN_VALUE)).isFalse();
        } finally {
            etcd.restart();
        }
        eventually("connected", early::connected);
        state.markCached(VERSION);
        mountsBecome(new Mount(VERSION, MANIFEST, State.CACHED));
        eventually("the view follows etcd", () -> early.view().equals(state.view()));
    }

    @Test
    void catchUpFailsWhileEtcdIsAway() throws Exception {
        etcd.kill9();
        try {
            assertThatThrownBy(state::catchUp)
                    .isInstanceOfSatisfying(
                            ForebayException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE));
        } finally {
            etcd.restart();
        }
        eventually("connected", state::connected);
        state.mount(VERSION, MANIFEST);
        state.catchUp();
        assertThat(state.view().mounts()).extracting(Mount::version).contains(VERSION);
    }
}
