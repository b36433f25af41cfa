package dev.forebay.control;

import static dev.forebay.control.TestControlPlane.REGION;
import static dev.forebay.control.TestControlPlane.version;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.forebay.testing.Api;
import dev.forebay.testing.Await;
import dev.forebay.testing.EventStream;
import dev.forebay.testing.EventStream.Event;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Progress streams of fills, on real servers with a region in memory. */
class ProgressIT {

    private static final String IN = "{\"region\":\"" + REGION + "\"}";

    private final TestControlPlane platform = TestControlPlane.shared();
    private final Api api = platform.api;

    @Test
    void theProgressStreamFollowsAFillToItsEnd() {
        String v = version(platform.dataset(3600), "v1");
        List<Event> events = new ArrayList<>();
        platform.region.shut();
        try {
            api.post(v + "/ensure", IN);
            try (EventStream stream = follow(v)) {
                assertThat(stream.status()).isEqualTo(200);
                assertThat(stream.contentType()).startsWith("text/event-stream");
                for (Optional<Event> event = stream.next();
                        event.isPresent();
                        event = stream.next()) {
                    events.add(event.get());
                    if (region(event.get()).get("bytes_cached").asLong() == FakeRegion.PART) {
                        // Only the activity's heartbeat has this value.
                        platform.region.open();
                    }
                }
            }
        } finally {
            platform.region.open();
        }

        assertThat(events).extracting(Event::name).last().isEqualTo("end");
        assertThat(events).extracting(Event::name).filteredOn("end"::equals).hasSize(1);
        assertThat(events).extracting(Event::id).doesNotHaveDuplicates();
        assertThat(events)
                .extracting(event -> region(event).get("bytes_cached").asLong())
                .isSorted()
                .contains(FakeRegion.PART);
        assertThat(events).extracting(event -> region(event).get("percent").asInt()).isSorted();
        JsonNode last = region(events.getLast());
        assertThat(last.get("state").asText()).isEqualTo("CACHED");
        assertThat(last.get("percent").asInt()).isEqualTo(100);
        assertThat(last.get("bytes_cached").asLong()).isEqualTo(11);
        assertThat(last.get("objects_cached").asLong()).isEqualTo(2);
        assertThat(last.get("objects").asLong()).isEqualTo(2);
    }

    /** The status in the catalogue may be outdated. */
    @Test
    void theProgressStreamEndsOnlyWhenTheWorkflowConfirmsTheEnd() {
        String v = version(platform.dataset(3600), "v1");
        assertThat(api.post(v + "/ensure?wait_seconds=30", IN).status()).isEqualTo(200);
        platform.temporal.pause();
        try (EventStream stream = follow(v)) {
            assertThat(stream.next().orElseThrow().name()).isEqualTo("progress");
            platform.temporal.resume();
            Event last = stream.next().orElseThrow();
            while (!last.name().equals("end")) {
                last = stream.next().orElseThrow();
            }
            assertThat(region(last).get("state").asText()).isEqualTo("CACHED");
        } finally {
            platform.temporal.resume();
        }
    }

    @Test
    void aReconnectingClientDoesNotReceiveTheSameEventAgain() {
        String v = version(platform.dataset(3600), "v1");
        api.post(v + "/ensure", "{\"region\":\"" + TestControlPlane.AWAY + "\"}");
        Await.until(
                "the status shows that no agent takes it up",
                () -> !api.get(v).body().at("/regions/0/waiting").isNull());
        String known;
        try (EventStream stream = follow(v)) {
            known = stream.next().orElseThrow().id();
        }
        try (EventStream stream = follow(v, "Last-Event-ID", known)) {
            Event next = stream.next().orElseThrow();
            assertThat(next.id()).isNotEqualTo(known);
            assertThat(region(next).at("/waiting/code").asText()).isEqualTo("UNAVAILABLE");
        }
    }

    @Test
    void theVersionAndItsRequestShowTheSameProgress() {
        String v = version(platform.dataset(3600), "v1");
        platform.region.shut();
        try {
            api.post(v + "/ensure", IN, "Idempotency-Key", "k");
            Await.until(
                    "the heartbeat has come",
                    () -> api.get(v).body().at("/regions/0/bytes_cached").asLong() > 0);
            JsonNode region = api.get(v).body().at("/regions/0");
            JsonNode progress = api.get(v + "/requests/k").body().get("progress");
            assertThat(region.get("percent").asInt()).isEqualTo(45);
            assertThat(region.get("objects_cached").asLong()).isEqualTo(1);
            assertThat(region.get("failed").asInt()).isZero();
            for (String field : List.of("state", "percent", "bytes_cached", "objects_cached")) {
                assertThat(progress.get(field)).isEqualTo(region.get(field));
            }
            assertThat(progress.get("bytes").asLong()).isEqualTo(11);
        } finally {
            platform.region.open();
        }
    }

    @Test
    void theStatusCountsFailedAttempts() {
        String v = version(platform.dataset(3600), "v1");
        platform.region.mountsFail("UNAVAILABLE", "etcd of test-1 is away");
        try {
            api.post(v + "/ensure", IN);
            Await.until(
                    "two attempts have failed",
                    () -> api.get(v).body().at("/regions/0/failed").asInt() >= 2);
        } finally {
            platform.region.mountsSucceed();
        }
    }

    @Test
    void anUnknownVersionHasNoProgress() {
        Api.Answer answer = api.get(version(platform.dataset(3600), "never") + "/progress");
        assertThat(answer.status()).isEqualTo(404);
        assertThat(answer.text("code")).isEqualTo("NOT_FOUND");
        assertThat(answer.raw().headers().firstValue("Content-Type"))
                .hasValue("application/problem+json");
    }

    @Test
    void theControlPlaneRefusesMoreStreamsThanItsLimit() {
        String v = version(platform.dataset(3600), "v1");
        api.post(v + "/ensure", "{\"region\":\"" + TestControlPlane.AWAY + "\"}");
        List<EventStream> open = new ArrayList<>();
        try {
            for (int i = 0; i < TestControlPlane.STREAMS; i++) {
                // Streams that other tests have closed may count for a moment.
                Await.until("the limit allows another stream", () -> opened(v, open));
                assertThat(open.getLast().next()).isPresent();
            }
            Api.Answer refused = api.get(v + "/progress");
            assertThat(refused.status()).isEqualTo(503);
            assertThat(refused.text("code")).isEqualTo("UNAVAILABLE");
            assertThat(refused.text("detail")).contains("forebay.progress.streams");
        } finally {
            open.forEach(EventStream::close);
        }
        Await.until("the limit allows another stream again", () -> hasSpace(v));
    }

    private boolean opened(String v, List<EventStream> open) {
        EventStream stream = follow(v);
        if (stream.status() != 200) {
            stream.close();
            return false;
        }
        return open.add(stream);
    }

    private boolean hasSpace(String v) {
        try (EventStream stream = follow(v)) {
            return stream.status() == 200;
        }
    }

    private EventStream follow(String v, String... headers) {
        return new EventStream(
                URI.create(platform.process.address() + "/api/v1" + v + "/progress"), headers);
    }

    private static JsonNode region(Event event) {
        return event.data().at("/regions/0");
    }
}
