package dev.forebay.cleanup;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.forebay.agent.jobs.Nodes;
import dev.forebay.agent.jobs.WarmLabels;
import dev.forebay.cleanup.CleanUp.Task;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.RegionName;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The clean-up removes as much as possible of what a release has left. */
class CleanUpTest {

    private static final WarmLabels LABELS = new WarmLabels(new RegionName("test-1"));

    private final ByteArrayOutputStream said = new ByteArrayOutputStream();
    private final CleanUp cleanUp =
            new CleanUp(new PrintStream(said, true, UTF_8), Duration.ofMillis(1));

    private static ForebayException unavailable() {
        return new ForebayException(ErrorCode.UNAVAILABLE, "the API server does not answer");
    }

    /** Nodes of which some cannot be changed. */
    private record FakeNodes(Map<String, Map<String, String>> labels, List<String> refused)
            implements Nodes {

        @Override
        public Map<String, Map<String, String>> labels(String prefix) {
            return labels;
        }

        @Override
        public void change(String node, Map<String, Optional<String>> changes) {
            assertThat(changes).isNotEmpty();
            assertThat(changes.values()).containsOnly(Optional.empty());
            if (refused.contains(node)) {
                throw unavailable();
            }
            Map<String, String> left = new HashMap<>(labels.getOrDefault(node, Map.of()));
            left.keySet().removeAll(changes.keySet());
            labels.put(node, left);
        }
    }

    @Test
    void theCleanUpChangesOtherNodesWhenSomeCannotBeChanged() {
        Map<String, Map<String, String>> labels = new TreeMap<>();
        List<String> names = List.of("a", "b", "c");
        names.forEach(
                node ->
                        labels.put(
                                node,
                                Map.of(LABELS.prefix() + "x", "v", LABELS.prefix() + "y", "v")));
        labels.put("bare", Map.of());

        assertThatExceptionOfType(ForebayException.class)
                .isThrownBy(
                        () ->
                                CleanUp.removeLabels(
                                        new FakeNodes(labels, List.of("a", "b")), LABELS));
        assertThat(labels.get("c")).isEmpty();
        assertThat(labels.get("a")).hasSize(2);

        assertThat(CleanUp.removeLabels(new FakeNodes(labels, List.of()), LABELS))
                .isEqualTo("removed labels test-1.warm.forebay.dev/* from 2 nodes");
        assertThat(labels.values()).allSatisfy(left -> assertThat(left).isEmpty());
    }

    @Test
    void theCleanUpRetriesOnlyFailedTasks() {
        AtomicInteger failing = new AtomicInteger();
        AtomicInteger working = new AtomicInteger();

        boolean done =
                cleanUp.tryAll(
                        List.of(
                                new Task(
                                        "labels",
                                        () -> {
                                            if (failing.incrementAndGet() < 3) {
                                                throw unavailable();
                                            }
                                            return "took them off";
                                        }),
                                new Task("finalizers", () -> "off " + working.incrementAndGet())),
                        Duration.ofMinutes(5));

        assertThat(done).isTrue();
        assertThat(failing).hasValue(3);
        assertThat(working).hasValue(1);
        assertThat(said.toString(UTF_8))
                .contains(
                        "could not remove all labels, and retries: the API server does not "
                                + "answer")
                .contains("took them off", "off 1")
                .doesNotContain("stopped after");
    }

    @Test
    void theCleanUpReportsWhatIsLeftAtItsTimeout() {
        boolean done =
                cleanUp.tryAll(
                        List.of(
                                new Task(
                                        "node labels",
                                        () -> {
                                            throw unavailable();
                                        }),
                                new Task("finalizers", () -> "took these off")),
                        Duration.ZERO);

        assertThat(done).isFalse();
        assertThat(said.toString(UTF_8))
                .contains("took these off")
                .contains("These remain: node labels", "docs/kubernetes.md")
                .doesNotContain("These remain: finalizers");
    }

    @Test
    void theArgumentsNameWhatToRemove() {
        assertThat(
                        CleanUpArguments.parse(
                                List.of(
                                        "--node-labels=us-east-1",
                                        "--datasets=ml/r",
                                        "--timeout-seconds=60")))
                .isEqualTo(
                        new CleanUpArguments(
                                Optional.of(new RegionName("us-east-1")),
                                Optional.of("ml/r"),
                                Duration.ofSeconds(60)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--node-labels=US",
                "--node-labels=",
                "--datasets=r",
                "--datasets",
                "--timeout-seconds=0",
                "--timeout-seconds=1.5",
                "--help",
                "x"
            })
    void anErrorNamesTheInvalidArgument(String argument) {
        assertThatExceptionOfType(ForebayException.class)
                .isThrownBy(() -> CleanUpArguments.parse(List.of(argument)))
                .withMessageContaining("'" + argument.replaceFirst("--node-labels=", "") + "'")
                .withMessageContaining("must be");
        assertThat(CleanUp.run(List.of(argument))).isEqualTo(2);
    }
}
