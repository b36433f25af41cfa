package dev.forebay.membership.etcd;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.forebay.membership.NodeEntry;
import dev.forebay.membership.NodeReport;
import dev.forebay.membership.RegionView;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.NodeName;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** Tests the entries of nodes, and which pod's entry counts during a takeover. */
class NodeEntryIT extends RegionOnEtcd {

    private static final NodeName NODE = new NodeName("gpu-1.example");
    private static final DatasetVersion DIGITS = DatasetVersion.parse("vision/digits@v1");
    private static final DatasetVersion WORDS = DatasetVersion.parse("nlp/words@v2");
    private static final Duration LONG = Duration.ofMinutes(10);

    private NodeEntry entry(Duration life) {
        return connected().node(NODE, life);
    }

    private void put(String node, String value) throws Exception {
        try (Client client = Client.builder().endpoints(etcd.endpoint()).build()) {
            client.getKVClient()
                    .put(bytes("/forebay-nodes/" + region + "/" + node), bytes(value))
                    .get();
        } catch (ExecutionException e) {
            throw new AssertionError(e);
        }
    }

    private static ByteSequence bytes(String text) {
        return ByteSequence.from(text, UTF_8);
    }

    private static NodeReport report(DatasetVersion... versions) {
        return new NodeReport(NODE, List.of(versions));
    }

    @Test
    void aNodeReportIsReadInItsOrder() {
        NodeEntry pod = entry(LONG);
        assertThat(state.nodes()).isEmpty();
        assertThat(pod.read()).isEmpty();

        assertThat(pod.say(List.of(WORDS, DIGITS))).isTrue();
        assertThat(state.nodes()).containsExactly(report(WORDS, DIGITS));
        assertThat(pod.read()).containsExactly(WORDS, DIGITS);

        assertThat(pod.say(List.of())).isTrue();
        assertThat(state.nodes()).containsExactly(report());
    }

    /** A thousand nodes must not receive the changes of each other's entries. */
    @Test
    void nodeReportsDoNotChangeTheRegionView() {
        RegionView before = state.view();
        assertThat(entry(LONG).say(List.of(DIGITS))).isTrue();
        long since = System.nanoTime();
        eventually("the view was confirmed since", () -> state.confirmedSince(since));
        assertThat(state.view()).isEqualTo(before);
    }

    @Test
    void anEntryExpiresUnlessItsPodRepeatsIt() {
        NodeEntry pod = entry(Duration.ofSeconds(2));
        long end = System.nanoTime() + Duration.ofSeconds(5).toNanos();
        while (System.nanoTime() < end) {
            assertThat(pod.say(List.of(DIGITS))).isTrue();
            assertThat(state.nodes()).containsExactly(report(DIGITS));
            LockSupport.parkNanos(100_000_000);
        }
        eventually("gone", () -> state.nodes().isEmpty());

        assertThat(pod.say(List.of(DIGITS))).as("a pod that was stopped continues").isTrue();
        assertThat(state.nodes()).containsExactly(report(DIGITS));
    }

    @Test
    void aSuccessorKeepsTheEntryWhenItsPredecessorEnds() {
        NodeEntry before = entry(Duration.ofSeconds(2));
        assertThat(before.say(List.of(DIGITS))).isTrue();

        NodeEntry successor = entry(LONG);
        assertThat(successor.read()).containsExactly(DIGITS);
        assertThat(successor.say(List.of(DIGITS))).isTrue();

        long end = System.nanoTime() + Duration.ofSeconds(5).toNanos();
        while (System.nanoTime() < end) {
            assertThat(state.nodes()).as("never away").containsExactly(report(DIGITS));
            LockSupport.parkNanos(50_000_000);
        }
    }

    /** The replaced process was stopped, and does not know about its successor yet. */
    @Test
    void aReplacedPodLeavesTheEntryToItsSuccessor() {
        NodeEntry replaced = entry(LONG);
        assertThat(replaced.say(List.of(DIGITS))).isTrue();
        NodeEntry successor = entry(Duration.ofSeconds(2));
        assertThat(successor.say(List.of(WORDS))).isTrue();

        assertThat(replaced.say(List.of(DIGITS))).isFalse();
        assertThat(state.nodes()).containsExactly(report(WORDS));

        eventually("the successor is gone", () -> replaced.say(List.of(DIGITS)));
    }

    @Test
    void nodesAndReportsFailWhileEtcdIsAway() throws Exception {
        NodeEntry pod = entry(Duration.ofSeconds(5));
        assertThat(pod.say(List.of(DIGITS))).isTrue();
        etcd.kill9();
        try {
            assertThatExceptionOfType(ForebayException.class)
                    .isThrownBy(state::nodes)
                    .matches(e -> e.code() == ErrorCode.UNAVAILABLE);
            assertThatExceptionOfType(ForebayException.class)
                    .isThrownBy(() -> pod.say(List.of(DIGITS, WORDS)))
                    .matches(e -> e.code() == ErrorCode.UNAVAILABLE);
        } finally {
            etcd.restart();
        }
        eventually("the node has reported again", () -> says(pod, DIGITS, WORDS));
        assertThat(state.nodes()).containsExactly(report(DIGITS, WORDS));
    }

    /** Returns false if the call fails, because etcd may refuse one right after its start. */
    private static boolean says(NodeEntry pod, DatasetVersion... versions) {
        try {
            return pod.say(List.of(versions));
        } catch (ForebayException e) {
            return false;
        }
    }

    @Test
    void anInvalidEntryIsIgnoredAndReplacedByTheServingPod() throws Exception {
        NodeEntry pod = connected().node(new NodeName("gpu-2"), LONG);
        assertThat(pod.say(List.of(WORDS))).isTrue();
        put(NODE.value(), "{\"incarnation\":\"x\",\"versions\":[\"nonsense\"]}");
        put("No_Node", "{\"incarnation\":\"x\",\"versions\":[]}");
        assertThat(state.nodes())
                .containsExactly(new NodeReport(new NodeName("gpu-2"), List.of(WORDS)));

        NodeEntry mended = entry(LONG);
        assertThat(mended.read()).isEmpty();
        assertThat(mended.say(List.of(DIGITS))).isTrue();
        assertThat(state.nodes()).contains(report(DIGITS));
    }
}
