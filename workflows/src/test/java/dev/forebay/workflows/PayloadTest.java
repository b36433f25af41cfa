package dev.forebay.workflows;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.Sibling;
import dev.forebay.workflows.activity.RegionActivities.Coverage;
import dev.forebay.workflows.activity.RegionActivities.WarmProgress;
import dev.forebay.workflows.activity.RegionActivities.WarmResult;
import dev.forebay.workflows.activity.SweepActivities.Outcome;
import dev.forebay.workflows.input.EvictInput;
import dev.forebay.workflows.input.IngestInput;
import dev.forebay.workflows.input.PrewarmInput;
import dev.forebay.workflows.input.ProvisionalPin;
import dev.forebay.workflows.input.UnansweredRequest;
import dev.forebay.workflows.input.UnfinishedEviction;
import dev.forebay.workflows.input.UnfinishedFill;
import dev.forebay.workflows.input.VersionInput;
import dev.forebay.workflows.message.AbandonRequest;
import dev.forebay.workflows.message.CancelRequest;
import dev.forebay.workflows.message.EnsureRequest;
import dev.forebay.workflows.message.EvictRequest;
import dev.forebay.workflows.message.FillProgress;
import dev.forebay.workflows.message.FillResult;
import dev.forebay.workflows.message.HistoryEntry;
import dev.forebay.workflows.message.PinGrant;
import dev.forebay.workflows.message.PinRequest;
import dev.forebay.workflows.message.Problem;
import dev.forebay.workflows.message.ReadReport;
import dev.forebay.workflows.message.Receipt;
import dev.forebay.workflows.message.RequestTerms;
import dev.forebay.workflows.message.RequestTerms.OnDeadline;
import dev.forebay.workflows.message.Residency;
import dev.forebay.workflows.message.Residency.Filling;
import dev.forebay.workflows.message.ResumeRequest;
import dev.forebay.workflows.message.SweepReason;
import dev.forebay.workflows.message.TtlRequest;
import dev.forebay.workflows.message.UnpinRequest;
import dev.forebay.workflows.message.Urgency;
import dev.forebay.workflows.message.VersionStatus;
import dev.forebay.workflows.message.Victim;
import dev.forebay.workflows.pin.VersionPins;
import io.temporal.api.common.v1.Payload;
import io.temporal.common.converter.DefaultDataConverter;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Temporal's default data converter returns every message unchanged. */
class PayloadTest {

    private static final Instant AT = Instant.parse("2026-11-20T12:34:56.123456789Z");
    private static final Duration LEASE = Duration.ofSeconds(90, 5);
    private static final DefaultDataConverter CONVERTER = DefaultDataConverter.newDefaultInstance();

    static Stream<Object> messages() {
        var us = Platform.US;
        var version = Platform.VERSION;
        var manifest = FakeControlPlane.MANIFEST;
        PinRequest pin = new PinRequest(us, "p", "job é|`", "", LEASE);
        PinGrant grant = new PinGrant(us, "p", "job", "training", AT);
        Problem problem = new Problem(ErrorCode.CORRUPT, "bad block");
        Residency cached =
                new Residency(us, Residency.State.CACHED, 5, 4, "/mnt/x", AT, AT, null, 3, null, 1);
        Residency blocked =
                new Residency(
                        us,
                        Residency.State.BLOCKED,
                        5,
                        4,
                        null,
                        null,
                        null,
                        problem,
                        2,
                        new Filling(AT, 1, 2, 3),
                        0);
        HistoryEntry historyEntry =
                new HistoryEntry(
                        "run/1", AT, us, HistoryEntry.Kind.BLOCKED, ErrorCode.CORRUPT, "why", 5);
        VersionStatus status =
                new VersionStatus(
                        version, manifest, LEASE, List.of(cached, blocked), List.of(grant));
        return Stream.of(
                us,
                version,
                manifest,
                pin,
                grant,
                new PinRequest(us, "p", "job", "", LEASE, "uid"),
                new PinGrant(us, "p", "job", "training", AT, "uid"),
                new PinGrant(us, "p", "job", "training", AT, "uid", AT),
                problem,
                cached,
                blocked,
                historyEntry,
                status,
                new VersionStatus(version, null, LEASE, List.of(), List.of()),
                new VersionInput(version, LEASE, null),
                new VersionInput(
                        version,
                        LEASE,
                        status,
                        List.of(historyEntry),
                        List.of(new UnfinishedFill(us, Urgency.SPECULATIVE, true)),
                        List.of(new UnansweredRequest("u", List.of(us), AT)),
                        List.of(new UnfinishedEviction(us, "for space")),
                        List.of(new ProvisionalPin(us, "p", List.of("u")))),
                EnsureRequest.of(us, pin),
                EnsureRequest.of(us, null),
                new EnsureRequest(
                        us,
                        pin,
                        new RequestTerms(0.5, LEASE, OnDeadline.RUN_COLD, Urgency.SPECULATIVE),
                        List.of(Platform.AP)),
                new EvictRequest(us, "why", true),
                new EvictRequest(us, "why", false, AT, true),
                new ReadReport(us, LEASE),
                new Victim(version, SweepReason.EXPIRED, "why", 5, AT, null),
                new Victim(version, SweepReason.ORPHAN, "why", 5, null, manifest),
                new UnpinRequest(us, "p"),
                new UnpinRequest(us, "p", AT),
                new TtlRequest(LEASE),
                new ResumeRequest(us),
                new CancelRequest("r~1"),
                new AbandonRequest(us, "why"),
                new Receipt(
                        version,
                        manifest.digest(),
                        1,
                        2,
                        us,
                        2,
                        2,
                        1,
                        "/mnt/x",
                        AT,
                        grant,
                        "id",
                        null,
                        List.of()),
                new Receipt(
                        version,
                        manifest.digest(),
                        1,
                        2,
                        us,
                        2,
                        2,
                        1,
                        "/mnt/x",
                        AT,
                        null,
                        "id",
                        null,
                        List.of()),
                new Receipt(
                                version, null, 0, 0, us, 0, 0, 0, null, null, null, "id", problem,
                                List.of())
                        .with(List.of()),
                new IngestInput(version, Urgency.SPECULATIVE),
                new EvictInput(version, manifest, us, "why"),
                new FillProgress(us, "/mnt/x", 3, 4, 5, 6, 7),
                new FillResult(3, 4, 5),
                new PrewarmInput(version, manifest, us, 7, null, Urgency.SPECULATIVE),
                new PrewarmInput(
                        version,
                        manifest,
                        us,
                        7,
                        new PrewarmInput.Cursor("/mnt/x", 1, 32, 5, 6, 7, 8),
                        Urgency.INTERACTIVE),
                new WarmResult(1, 2, 3),
                new WarmProgress(1, 2, 3, 4),
                new Coverage(1, -1, 1, 2),
                new Sibling(URI.create("http://agent:8080"), true),
                new Outcome(version, true, "", SweepReason.EXPIRED),
                new Outcome(version, false, "", SweepReason.QUOTA),
                LEASE);
    }

    @ParameterizedTest
    @MethodSource("messages")
    void aMessageSurvivesConversionUnchanged(Object message) {
        Payload payload = CONVERTER.toPayload(message).orElseThrow();
        Object back = CONVERTER.fromPayload(payload, message.getClass(), message.getClass());
        assertThat(back).isEqualTo(message);
    }

    @Test
    void theLargestStateStaysFarBelowTemporalsLimit() {
        List<PinGrant> pins =
                Stream.iterate(0, i -> i + 1)
                        .limit(VersionPins.MOST_PINS)
                        .map(
                                i ->
                                        new PinGrant(
                                                Platform.US,
                                                "x".repeat(60) + i,
                                                "h".repeat(200),
                                                "r".repeat(200),
                                                AT))
                        .toList();
        VersionStatus status =
                new VersionStatus(
                        Platform.VERSION, FakeControlPlane.MANIFEST, LEASE, List.of(), pins);
        assertThat(CONVERTER.toPayload(status).orElseThrow().getSerializedSize())
                .isLessThan(1 << 20);
    }

    @Test
    void aMessageIsPlainJson() {
        Payload payload = CONVERTER.toPayload(new ResumeRequest(Platform.US)).orElseThrow();
        assertThat(payload.getData().toString(StandardCharsets.UTF_8))
                .isEqualTo("{\"region\":{\"value\":\"us-1\"}}");
    }
}
