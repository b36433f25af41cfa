package dev.forebay.workflows;

import static dev.forebay.workflows.Platform.TTL;
import static dev.forebay.workflows.Platform.US;
import static dev.forebay.workflows.Platform.pin;
import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.lifecycle.Lifecycle;
import dev.forebay.workflows.FakeRegion.Step;
import dev.forebay.workflows.message.EvictRequest;
import dev.forebay.workflows.message.Receipt;
import dev.forebay.workflows.message.Residency.State;
import dev.forebay.workflows.message.TtlRequest;
import dev.forebay.workflows.message.VersionInput;
import io.temporal.client.WorkflowNotFoundException;
import io.temporal.workflow.WorkflowInit;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * With histories so short that every few messages begin a new run.
 *
 * <p>Durations are short: after a continue-as-new the test server does not always skip time.
 */
@Timeout(60)
class ContinueAsNewTest {

    /** An update that arrives just then puts a continue-as-new off. */
    private static final int MOST_UPDATES = 500;

    private static final int MOST_ATTEMPTS = 100;

    private final Platform platform =
            new Platform(
                    ShortLivedVersion.class,
                    ShortLivedPrewarm.class,
                    IngestWorkflowImpl.class,
                    EvictWorkflowImpl.class);

    /** A version whose runs end after a few events. */
    public static final class ShortLivedVersion extends DatasetVersionWorkflowImpl {

        @WorkflowInit
        public ShortLivedVersion(VersionInput input) {
            super(input);
        }

        @Override
        protected int longestHistory() {
            return 40;
        }
    }

    /** A prewarm whose runs end after a batch or two. */
    public static final class ShortLivedPrewarm extends PrewarmWorkflowImpl {
        @Override
        protected int longestHistory() {
            return 30;
        }
    }

    @AfterEach
    void stop() {
        platform.close();
    }

    @Test
    void pinsTtlAndReceiptsOutliveTheRun() {
        Receipt first = platform.ensure(US, pin("p", Duration.ofSeconds(8)));
        Set<String> runs = new TreeSet<>(Set.of(run()));
        for (int i = 1; i <= MOST_UPDATES && runs.size() < 3; i++) {
            setTtl(TTL.plusSeconds(i));
            runs.add(run());
        }
        setTtl(Duration.ofSeconds(2));

        assertThat(runs).hasSizeGreaterThanOrEqualTo(3);
        assertThat(platform.ensure(US, null).cachedAt()).isEqualTo(first.cachedAt());
        assertThat(platform.us.count(Step.WARM)).isEqualTo(4);
        assertThat(platform.control.ingests()).isEqualTo(1);
        assertThat(platform.status().pins()).hasSize(1);

        platform.passUntil("the pin has ended", () -> platform.status().pins().isEmpty());
        assertThat(platform.us.isPinned("p")).isFalse();
        platform.passUntil(
                "expired", () -> Lifecycle.isExpired(platform.status(), US, platform.now()));
        platform.update("evict", new EvictRequest(US, "TTL has passed", true));
        assertThat(platform.residency(US).state()).isEqualTo(State.ABSENT);
        assertThat(platform.control.revisions()).hasSizeGreaterThan(3).isSorted();
        assertThat(platform.control.revisions()).doesNotHaveDuplicates();
    }

    @Test
    void aPrewarmCarriesItsCursor() {
        platform.us.loseChunk(0);
        Receipt receipt = platform.ensure(US, null);
        assertThat(receipt.bytesFromLake()).isEqualTo(receipt.bytes());
        assertThat(platform.us.count(Step.MOUNT)).isEqualTo(1);
        assertThat(platform.us.count(Step.WARM)).isEqualTo(4);
    }

    /**
     * Sent again, as the control plane does, if it came when one run had ended and no other begun.
     */
    private void setTtl(Duration ttl) {
        for (int i = 1; ; i++) {
            try {
                platform.update("setTtl", new TtlRequest(ttl));
                return;
            } catch (WorkflowNotFoundException between) {
                if (i == MOST_ATTEMPTS) {
                    throw between;
                }
            }
        }
    }

    private String run() {
        return platform.workflow().describe().getExecution().getRunId();
    }
}
