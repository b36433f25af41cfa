package dev.forebay.membership.etcd;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.tuple;

import dev.forebay.membership.Keys;
import dev.forebay.membership.Mount;
import dev.forebay.membership.Mount.State;
import dev.forebay.membership.Pin;
import dev.forebay.membership.RegionState;
import dev.forebay.membership.RegionView;
import dev.forebay.membership.rows.Rows;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.NodeName;
import dev.forebay.placement.WorkerNode;
import io.etcd.jetcd.KeyValue;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests "Rows of a later release" with rows that a future release could write: with members,
 * states, kinds and forms that this release does not know.
 */
class LaterReleaseIT extends RegionOnEtcd {

    private static final String PATH = "vision/digits/v1";
    private static final String MOUNT = "mounts/" + PATH;
    private static final String PIN = "pins/" + PATH + "/p";

    private EtcdConnection raw;

    @BeforeEach
    void openRaw() {
        raw = new EtcdConnection(config());
    }

    @AfterEach
    void closeRaw() {
        raw.close();
    }

    private String root() {
        return Keys.of(region).root();
    }

    private Optional<KeyValue> row(String key) {
        return raw.run(session -> session.get(root() + key));
    }

    private String text(String key) {
        return row(key).orElseThrow().getValue().toString(UTF_8);
    }

    private void write(String key, String value) {
        long lease = row(key).map(KeyValue::getLease).orElse(0L);
        raw.run(session -> session.apply(Change.put(root() + key, value.getBytes(UTF_8), lease)));
        state.catchUp();
    }

    private static String mounted(String state) {
        String row = new String(Rows.of(MANIFEST, State.CACHED), UTF_8);
        return row.replace("\"state\":\"CACHED\"", "\"state\":" + state);
    }

    private void refusesForNow(String key, Runnable change) {
        assertThatExceptionOfType(ForebayException.class)
                .isThrownBy(change::run)
                .withMessageContaining(key)
                .withMessageContaining("upgrade")
                .matches(e -> e.code() == ErrorCode.UNAVAILABLE && e.retryable());
    }

    /** The workflow treats the version as pinned, and does not wait for the eviction. */
    private void staysInUse(String key) {
        assertThatExceptionOfType(ForebayException.class)
                .isThrownBy(() -> state.beginEviction(VERSION))
                .withMessageContaining(key)
                .withMessageContaining("upgrade")
                .matches(e -> e.code() == ErrorCode.PINNED);
    }

    @Test
    void changesKeepUnknownMembersOfARow() {
        state.mount(VERSION, MANIFEST);
        write(MOUNT, mounted("\"WARMING\",\"encrypted\":{\"by\":\"k1\"}"));

        state.pin(pin("p", 60));
        state.markCached(VERSION);
        assertThat(text(MOUNT)).contains("\"CACHED\"", "\"encrypted\":{\"by\":\"k1\"}");
        write(PIN, text(PIN).replace("{\"holder\"", "{\"team\":\"vision\",\"holder\""));
        assertThat(state.renew(VERSION, "p")).isPresent();
        assertThat(text(PIN)).contains("\"renewed\":true", "\"team\":\"vision\"");
        state.unpin(VERSION, "p");
        state.beginEviction(VERSION);
        assertThat(text(MOUNT)).contains("\"EVICTING\"", "\"encrypted\":{\"by\":\"k1\"}");
        assertThat(state.view().notUnderstood()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"HIBERNATING\"", "\"UNKNOWN\""})
    void aMountInAnUnknownStateIsReadAndNotChanged(String unknown) {
        state.mount(VERSION, MANIFEST);
        write(MOUNT, mounted(unknown));

        for (RegionState process : List.of(state, connected())) {
            assertThat(process.view().mounts())
                    .containsExactly(new Mount(VERSION, MANIFEST, State.UNKNOWN));
            assertThat(process.view().notUnderstood()).containsExactly(MOUNT);
            assertThat(process.rowsNotUnderstood()).isEqualTo(1);
            assertThat(process.view().hidesClaims()).as("its chunks are known").isFalse();
        }
        isLeftAsItIs(mounted(unknown));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"manifests\":[\"one\",\"another\"]}",
                "v2 0a1b2c",
                "{\"uri\":\"s3://m/k\",\"digest\":\"blake3:00\",\"objects\":3,\"bytes\":30,\"chunks\":1,\"state\":\"CACHED\"}"
            })
    void aMountInAnUnknownFormatIsNotChanged(String value) {
        state.mount(VERSION, MANIFEST);
        state.catchUp();
        write(MOUNT, value);

        assertThat(state.view().mounts())
                .as("a process that knew the mount keeps its manifest")
                .containsExactly(new Mount(VERSION, MANIFEST, State.UNKNOWN));
        RegionView ofNewcomer = connected().view();
        assertThat(ofNewcomer.mounts()).isEmpty();
        assertThat(ofNewcomer.hiddenClaims()).containsExactly(MOUNT);
        isLeftAsItIs(value);
    }

    private void isLeftAsItIs(String value) {
        refusesForNow(MOUNT, () -> state.mount(VERSION, MANIFEST));
        refusesForNow(MOUNT, () -> state.admit(VERSION, MANIFEST, _ -> Optional.empty()));
        refusesForNow(MOUNT, () -> state.markCached(VERSION));
        refusesForNow(MOUNT, () -> state.pin(pin("p", 60)));
        staysInUse(MOUNT);
        refusesForNow(MOUNT, () -> state.unmount(VERSION));
        assertThat(text(MOUNT)).isEqualTo(value);
    }

    /** A number would mean the state at that position in this release: here EVICTING. */
    @Test
    void aNumericStateIsNotInterpreted() {
        write(MOUNT, mounted("2"));
        assertThat(state.view().mounts()).isEmpty();
        assertThat(state.view().hiddenClaims()).containsExactly(MOUNT);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"holders\":[\"alice\",\"bob\"],\"until\":\"tomorrow\"}",
                "{\"holder\":\"alice\",\"reason\":\"r\",\"leaseSeconds\":60,\"job\":{\"uid\":\"u\"}}",
                "#2"
            })
    void aPinInAnUnknownFormatProtectsItsVersion(String value) {
        state.mount(VERSION, MANIFEST);
        state.pin(pin("p", 60));
        state.catchUp();
        Pin before = state.view().pins().getFirst();
        write(PIN, value);

        RegionView view = connected().view();
        assertThat(view.pins())
                .extracting(Pin::version, Pin::id)
                .containsExactly(tuple(VERSION, "p"));
        assertThat(view.notUnderstood()).containsExactly(PIN);
        assertThat(view.hidesClaims()).as("the pinned version is known").isFalse();
        refuses(ErrorCode.PINNED, () -> state.beginEviction(VERSION));
        refuses(ErrorCode.ALREADY_EXISTS, () -> state.pin(pin("p", 60)));
        assertThat(state.renew(VERSION, "p")).as("its owner renews it").isPresent();
        assertThat(state.remaining(VERSION, "p")).isPresent();
        for (Pin seen : List.of(before, view.pins().getFirst(), state.view().pins().getFirst())) {
            assertThat(state.unpin(seen))
                    .as("another process cannot release it: %s", seen)
                    .isFalse();
        }
        assertThat(text(PIN)).isEqualTo(value);
        state.unpin(VERSION, "p");
        assertThat(row(PIN)).as("its holder releases it").isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    holds/vision/digits             | a kind that is not known
                    pins/vision/digits              | a pin of a whole dataset
                    pins/vision/digits/v1/p/2       | a pin of a part
                    mounts/vision/digits/v1/shard-1 | a mount of a part
                    mounts/vision/a b/v1            | a name that is not one yet
                    gate/vision                     | a gate of a namespace
                    """)
    void anUnknownKeyPreventsEvictions(String key, String why) {
        state.mount(VERSION, MANIFEST);
        write(key, "{\"holder\":\"alice\",\"reason\":\"r\",\"leaseSeconds\":60}");

        assertThat(state.view().hiddenClaims()).as(why).containsExactly(key);
        assertThat(state.view().mounts())
                .containsExactly(new Mount(VERSION, MANIFEST, State.WARMING));
        staysInUse(key);
        state.pin(pin("q", 60));
        raw.run(session -> session.apply(Change.delete(root() + key)));
        state.unpin(VERSION, "q");
        state.catchUp();
        state.beginEviction(VERSION);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    gate                       | {"entered":{"by":"x"}}
                    gate                       | 2
                    sources/vision/digits/v1   | {"siblings":[{"gateway":"s3+x://h:1","onPremises":false}]}
                    sources/vision/digits/v1   | {"order":"random"}
                    replicas/vision/digits/v1  | {"count":64}
                    queue/vision/digits/v2     | {"after":"vision/digits@v1"}
                    workers/w1                 | {"addresses":["http://127.0.0.1:1"],"capacityBytes":10}
                    live/w1                    | {"incarnations":2}
                    departed/w1                | {}
                    """)
    void unknownRowsThatProtectNothingBlockNoChange(String key, String value) {
        state.mount(VERSION, MANIFEST);
        write(key, value);

        assertThat(state.view().hidesClaims()).isFalse();
        assertThat(state.view().mounts())
                .containsExactly(new Mount(VERSION, MANIFEST, State.WARMING));
        DatasetVersion another = DatasetVersion.of("vision", "digits", "v2");
        assertThat(state.admit(another, manifest('b'), _ -> Optional.empty())).isEmpty();
        state.beginEviction(VERSION);
        state.unmount(VERSION);
    }

    @Test
    void aWorkerInAnUnknownFormatIsReportedAsHidden() {
        write("workers/w1", "{\"address\":\"http://127.0.0.1:1\",\"disks\":[10,20]}");
        assertThat(state.view().workers()).isEmpty();
        assertThat(state.view().hidesWorkers()).isTrue();
    }

    @Test
    void aKnownWorkerStaysWhenItsRowBecomesUnreadable() {
        WorkerNode worker = new WorkerNode("w1", URI.create("http://127.0.0.1:1"), 10);
        opened.add(state.join(worker));
        eventually("registered", () -> state.view().workers().equals(List.of(worker)));
        write("workers/w1", "{\"disks\":[10,20]}");
        assertThat(state.view().workers()).containsExactly(worker);
        assertThat(state.view().hidesWorkers()).isTrue();
    }

    @Test
    void aKnownMountIsForgottenWhenItsKeyIsDeleted() {
        state.mount(VERSION, MANIFEST);
        state.catchUp();
        write(MOUNT, "#2");
        raw.run(session -> session.apply(Change.delete(root() + MOUNT)));
        state.catchUp();
        assertThat(state.view().mounts()).isEmpty();
        write(MOUNT, "#2");
        assertThat(state.view().mounts()).isEmpty();
    }

    @Test
    void aNodeInAnUnknownFormatIsIgnored() {
        raw.run(
                session ->
                        session.apply(
                                Change.put(
                                        Keys.of(region).node(new NodeName("gpu-1")),
                                        "{\"holds\":{}}".getBytes(UTF_8))));
        assertThat(state.nodes()).isEmpty();
    }
}
