package dev.forebay.workflows;

import static dev.forebay.workflows.Platform.US;
import static dev.forebay.workflows.Platform.VERSION;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.Sibling;
import dev.forebay.workflows.activity.RegionActivities;
import dev.forebay.workflows.fill.BatchSizes;
import dev.forebay.workflows.fill.PrewarmWorkflowImpl;
import dev.forebay.workflows.input.PrewarmInput;
import dev.forebay.workflows.message.FillResult;
import dev.forebay.workflows.message.PinRequest;
import dev.forebay.workflows.message.SpaceClaim;
import dev.forebay.workflows.message.Urgency;
import io.temporal.api.sdk.v1.WorkflowMetadata;
import io.temporal.client.WorkflowOptions;
import io.temporal.testing.TestWorkflowEnvironment;
import io.temporal.worker.Worker;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The fill of a region without a parent workflow: rounds and batches. */
class PrewarmWorkflowTest {

    private static final String ID = "prewarm";

    private final TestWorkflowEnvironment environment = TestWorkflowEnvironment.newInstance();
    private final ForgetfulRegion region = new ForgetfulRegion();
    private final FakeControlPlane control = new FakeControlPlane();

    @AfterEach
    void stop() {
        environment.close();
    }

    @Test
    void warmsInBatchesAndConfirms() {
        FillResult result = prewarm(manifest(100));
        assertThat(region.warmed).containsExactly("0-32", "32-64", "64-96", "96-100");
        assertThat(result).isEqualTo(new FillResult(1_000, 1_000 + 7, 0));
    }

    @Test
    void warmsAgainFromTheFirstMissingChunk() {
        region.missing.addAll(List.of(70L, 98L));
        FillResult result = prewarm(manifest(100));
        assertThat(region.warmed)
                .containsExactly("0-32", "32-64", "64-96", "96-100", "70-100", "98-100");
        assertThat(result.bytesVerified()).isEqualTo(1_000);
    }

    @Test
    void theDetailsShowCompletionOnlyAfterTheConfirmation() {
        region.missing.add(70L);

        prewarm(manifest(100));

        assertThat(region.detailsWhenAsked).hasSize(2).allMatch(it -> it.contains("Not confirmed"));
        assertThat(region.detailsWhenAsked.getFirst()).contains("100 of 100 chunks");
        assertThat(region.detailsWhenAsked.getLast()).startsWith("Round 2").doesNotContain(" of ");
        assertThat(details()).startsWith("Confirmed by the workers: all of 100 chunks");
    }

    @Test
    void theResultHasTheLakeBytesThatTheWorkersCounted() {
        region.fromLake = 1_234;
        assertThat(prewarm(manifest(100))).isEqualTo(new FillResult(1_000, 1_234, 0));
    }

    @Test
    void theRegionReceivesCheaperSiblingsAsSources() {
        Sibling other = new Sibling(URI.create("http://agent.ap-1:8080"), false);
        control.setSiblings(other);
        region.fromLake = 10;
        region.fromSiblings = 990;

        FillResult result = prewarm(manifest(100));

        assertThat(region.sources).containsExactly(other);
        assertThat(result.bytesFromSiblings()).isEqualTo(990);
    }

    /** The sources of an earlier fill of the same copy no longer apply. */
    @Test
    void theRegionFillsFromTheLakeIfTheSiblingsAreUnknown() {
        control.failSiblings();

        assertThat(prewarm(manifest(100)).bytesVerified()).isEqualTo(1_000);

        assertThat(region.sources).isEmpty();
    }

    @Test
    void givesUpWhenARegionKeepsLosingChunks() {
        for (int i = 0; i < 100; i++) {
            region.missing.add(0L);
        }
        Throwable failure = catchThrowable(() -> prewarm(manifest(10)));
        assertThat(Failures.problem(failure).code()).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(region.warmed).hasSize(10);
    }

    @Test
    void aVersionOfEmptyFilesHasNothingToWarm() {
        assertThat(prewarm(manifest(0)).bytesVerified()).isZero();
        assertThat(region.warmed).isEmpty();
    }

    @Test
    void batchesGrowWithTheVersion() {
        assertThat(BatchSizes.size(0)).isEqualTo(32);
        assertThat(BatchSizes.size(10_000)).isEqualTo(200);
        assertThat(BatchSizes.size(10_000_000)).isEqualTo(2_048);
        assertThat(BatchSizes.step(10_000_000, 10_000_000)).isEqualTo(50);
    }

    private FillResult prewarm(ManifestRef manifest) {
        Worker lifecycle = environment.newWorker(TaskQueues.LIFECYCLE);
        lifecycle.registerWorkflowImplementationTypes(PrewarmWorkflowImpl.class);
        lifecycle.registerActivitiesImplementations(control);
        environment.newWorker(TaskQueues.region(US)).registerActivitiesImplementations(region);
        environment.newWorker(TaskQueues.warm(US)).registerActivitiesImplementations(region);
        environment.start();
        return environment
                .getWorkflowClient()
                .newWorkflowStub(
                        PrewarmWorkflow.class,
                        WorkflowOptions.newBuilder()
                                .setTaskQueue(TaskQueues.LIFECYCLE)
                                .setWorkflowId(ID)
                                .build())
                .run(new PrewarmInput(VERSION, manifest, US, 7, null, Urgency.INTERACTIVE));
    }

    /** Returns the current details as the server's UI queries them. */
    private String details() {
        return environment
                .getWorkflowClient()
                .newUntypedWorkflowStub(ID)
                .query("__temporal_workflow_metadata", WorkflowMetadata.class)
                .getCurrentDetails();
    }

    private static ManifestRef manifest(long chunks) {
        return new ManifestRef(
                "s3://f/m",
                FakeControlPlane.MANIFEST.digest(),
                1,
                chunks * FakeRegion.CHUNK_BYTES,
                chunks);
    }

    /** Reports a missing chunk in each confirmation of a list, then complete coverage. */
    private final class ForgetfulRegion implements RegionActivities {

        private final List<String> warmed = new ArrayList<>();
        private final List<String> detailsWhenAsked = new ArrayList<>();
        private final Queue<Long> missing = new ArrayDeque<>();
        private long fromLake;
        private long fromSiblings;
        private @Nullable List<Sibling> sources;

        @Override
        public String admit(DatasetVersion version, ManifestRef manifest, SpaceClaim claim) {
            return "/mnt/forebay/" + version.path();
        }

        @Override
        public void fillFrom(DatasetVersion version, List<Sibling> siblings) {
            sources = siblings;
        }

        @Override
        public WarmResult warm(DatasetVersion version, ManifestRef manifest, long from, long to) {
            warmed.add(from + "-" + to);
            long bytes = (to - from) * FakeRegion.CHUNK_BYTES;
            return new WarmResult(bytes, bytes, to - from);
        }

        @Override
        public Coverage confirm(DatasetVersion version, ManifestRef manifest) {
            detailsWhenAsked.add(details());
            Long first = missing.poll();
            return first == null
                    ? new Coverage(manifest.bytes(), -1, fromLake, fromSiblings)
                    : new Coverage(manifest.bytes() - FakeRegion.CHUNK_BYTES, first, 0, 0);
        }

        @Override
        public Duration pin(DatasetVersion version, PinRequest request) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Map<String, Duration> remaining(DatasetVersion version, List<String> pinIds) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void unpin(DatasetVersion version, String pinId) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void beginEviction(DatasetVersion version) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void drop(DatasetVersion version, ManifestRef manifest) {
            throw new UnsupportedOperationException();
        }
    }
}
