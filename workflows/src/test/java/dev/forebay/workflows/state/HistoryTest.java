package dev.forebay.workflows.state;

import static dev.forebay.workflows.Platform.US;
import static dev.forebay.workflows.Platform.pin;
import static dev.forebay.workflows.Platform.result;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.forebay.model.ErrorCode;
import dev.forebay.workflows.FakeControlPlane;
import dev.forebay.workflows.FakeRegion.Step;
import dev.forebay.workflows.Platform;
import dev.forebay.workflows.message.EvictRequest;
import dev.forebay.workflows.message.HistoryEntry;
import dev.forebay.workflows.message.HistoryEntry.Kind;
import dev.forebay.workflows.message.Receipt;
import dev.forebay.workflows.message.UnpinRequest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The history entries that the catalogue receives. */
@Execution(ExecutionMode.CONCURRENT)
class HistoryTest {

    private final Platform platform = Platform.start();

    @AfterEach
    void close() {
        platform.close();
    }

    @Test
    void theCatalogueReceivesTheHistoryOfACopy() {
        platform.us.fail(Step.WARM, ErrorCode.LAKE_DENIED);
        assertThat(catchThrowable(() -> platform.ensure(US, null))).isNotNull();
        platform.us.closeGate();
        CompletableFuture<Receipt> asked = platform.ensureAsync(US, pin("p", Duration.ofHours(1)));
        platform.passUntil("the version is pinned", () -> platform.status().pins().size() == 1);
        platform.us.openGate();
        result(asked);
        platform.update("unpin", new UnpinRequest(US, "p"));
        platform.update("evict", new EvictRequest(US, "for a test", false));

        awaitTold(8);
        assertThat(platform.control.historyEntries())
                .extracting(HistoryEntry::kind)
                .containsExactly(
                        Kind.ASKED_FOR,
                        Kind.BLOCKED,
                        Kind.ASKED_FOR,
                        Kind.PINNED,
                        Kind.CACHED,
                        Kind.RELEASED,
                        Kind.EVICTING,
                        Kind.EVICTED);
        assertThat(platform.control.historyEntries())
                .extracting(HistoryEntry::id)
                .doesNotHaveDuplicates();
        assertThat(told(Kind.BLOCKED).code()).isEqualTo(ErrorCode.LAKE_DENIED);
        assertThat(told(Kind.RELEASED).text()).isEqualTo("job-p");
        assertThat(told(Kind.EVICTED).text()).isEqualTo("for a test");
        assertThat(told(Kind.EVICTED).bytes()).isEqualTo(FakeControlPlane.MANIFEST.bytes());
    }

    @Test
    void historyEntriesArriveWhenTheCatalogueIsBack() {
        platform.control.failProjections(ErrorCode.UNAVAILABLE);
        platform.ensure(US, null);
        result(platform.evictAsync(US));
        platform.pass(Duration.ofMinutes(20));
        assertThat(platform.control.historyEntries()).isEmpty();

        platform.control.failProjections(null);

        awaitTold(4);
        assertThat(platform.control.historyEntries())
                .extracting(HistoryEntry::kind)
                .containsExactly(Kind.ASKED_FOR, Kind.CACHED, Kind.EVICTING, Kind.EVICTED);
    }

    private void awaitTold(int historyEntries) {
        platform.passUntil(
                "all entries have arrived",
                () -> platform.control.historyEntries().size() >= historyEntries);
    }

    private HistoryEntry told(Kind kind) {
        List<HistoryEntry> all = platform.control.historyEntries();
        return all.stream().filter(each -> each.kind() == kind).findFirst().orElseThrow();
    }
}
