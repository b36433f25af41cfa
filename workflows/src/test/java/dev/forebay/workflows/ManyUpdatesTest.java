package dev.forebay.workflows;

import static dev.forebay.workflows.Platform.AP;
import static dev.forebay.workflows.Platform.US;
import static dev.forebay.workflows.Platform.result;
import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.workflows.FakeRegion.Step;
import dev.forebay.workflows.evict.EvictWorkflowImpl;
import dev.forebay.workflows.fill.PrewarmWorkflowImpl;
import dev.forebay.workflows.ingest.IngestWorkflowImpl;
import dev.forebay.workflows.input.VersionInput;
import dev.forebay.workflows.message.EnsureRequest;
import dev.forebay.workflows.message.Receipt;
import dev.forebay.workflows.message.Residency.State;
import dev.forebay.workflows.version.DatasetVersionWorkflowImpl;
import io.temporal.workflow.WorkflowInit;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** More requests than one run of a workflow may answer. */
class ManyUpdatesTest {

    private static final int MOST_UPDATES = 20;
    private static final int MOST_ATTEMPTS = 10;

    private final Platform platform =
            new Platform(
                    BusyVersion.class,
                    PrewarmWorkflowImpl.class,
                    IngestWorkflowImpl.class,
                    EvictWorkflowImpl.class);

    /** A version whose runs answer few requests. */
    public static final class BusyVersion extends DatasetVersionWorkflowImpl {

        @WorkflowInit
        public BusyVersion(VersionInput input) {
            super(input);
        }

        @Override
        protected int mostUpdates() {
            return MOST_UPDATES;
        }
    }

    @AfterEach
    void stop() {
        platform.close();
    }

    @Test
    void aSlowRegionDoesNotDelayRequestsForOtherRegions() {
        platform.ensure(US, null);
        String first = run();
        platform.ap.closeGate();
        EnsureRequest away = EnsureRequest.of(AP, null);
        CompletableFuture<Receipt> _ = platform.ensureAsync("waiting", away);
        platform.passUntil("warming", () -> platform.ap.count(Step.WARM) == 1);

        for (int i = 0; i < MOST_UPDATES; i++) {
            assertThat(ensureInSomeRun().cachedAt()).isNotNull();
        }

        platform.passUntil("the next run", () -> !run().equals(first));
        platform.passUntil(
                "the next run continues the fill",
                () ->
                        platform.residency(US).state() == State.CACHED
                                && platform.residency(AP).state() == State.WARMING);
        CompletableFuture<Receipt> again = platform.ensureAsync("waiting", away);
        platform.ap.openGate();
        assertThat(result(again).cachedAt()).isNotNull();
    }

    /** Repeats the request, as the control plane does, if the run ended before its answer. */
    private Receipt ensureInSomeRun() {
        for (int i = 1; ; i++) {
            try {
                return platform.ensure(US, null);
            } catch (RuntimeException runEnded) {
                if (i == MOST_ATTEMPTS) {
                    throw runEnded;
                }
            }
        }
    }

    private String run() {
        return platform.workflow().describe().getExecution().getRunId();
    }
}
