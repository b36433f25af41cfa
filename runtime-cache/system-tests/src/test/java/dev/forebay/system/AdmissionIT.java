package dev.forebay.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** "Admission" and "Quotas" in docs/semantics.md. */
class AdmissionIT extends NarrowRegion {

    AdmissionIT(RunningStack stack) {
        super(stack);
    }

    @Test
    void admissionEvictsTheLeastValuableVersionAndQueuesWhileTheOthersArePinned() throws Exception {
        for (String name : List.of("a", "b", "c", "d", "e")) {
            registered("space/" + name);
        }
        api.ensure("space/a@v1", REGION);
        api.ensure("space/a@v1", REGION);
        api.ensure("space/b@v1", REGION);
        api.ensure("space/c@v1", REGION);
        api.ensure("space/c@v1", REGION);

        awaitPlan("space/d@v1", "after_eviction");
        assertThat(plan("space/d@v1").at("/victims/0/dataset").asText()).isEqualTo("space/b");
        api.ensure("space/d@v1", REGION);

        assertThat(state("space/b@v1")).isEqualTo("ABSENT");
        assertThat(state("space/a@v1")).isEqualTo("CACHED");
        assertThat(state("space/c@v1")).isEqualTo("CACHED");
        for (String name : List.of("a", "c", "d")) {
            pin("space/" + name + "@v1");
        }
        awaitPlan("space/e@v1", "waits");

        String request = api.accept("space/e@v1", Map.of("region", REGION));

        Await.until("it is in the queue", Duration.ofSeconds(60), () -> queue().size() == 1);
        assertThat(queue().at("/0/dataset").asText()).isEqualTo("space/e");
        assertThat(queue().at("/0/position").asInt()).isEqualTo(1);
        Await.until(
                "its status says why",
                Duration.ofSeconds(60),
                () ->
                        api.residency("space/e@v1", REGION)
                                .at("/waiting/message")
                                .asText()
                                .contains("first in the queue"));
        assertThat(stack.lake().gets("space/e/")).isEmpty();
        api.delete(Api.path("space/d@v1") + "/pins/p?region=" + REGION).expect(204);

        // The end of the pin wakes the queued request, which evicts the version that was pinned.
        api.receipt("space/e@v1", REGION, request, Duration.ofMinutes(3));
        assertThat(state("space/d@v1")).isEqualTo("ABSENT");
        assertThat(queue()).isEmpty();
        for (String name : List.of("a", "c", "e")) {
            assertThat(stack.lake().gets("space/" + name + "/").values())
                    .as(name)
                    .containsOnly(1)
                    .hasSize(CHUNKS);
        }
        api.delete(Api.path("space/a@v1") + "/pins/p?region=" + REGION).expect(204);
        api.delete(Api.path("space/c@v1") + "/pins/p?region=" + REGION).expect(204);
    }

    @Test
    void aNamespaceEvictsItsOwnVersionsToStayWithinItsQuota() throws Exception {
        registered("thrifty/a");
        registered("thrifty/b");
        api.put("/namespaces/thrifty/quota", Map.of("bytes", 6L * CHUNK)).expect(200);
        api.ensure("thrifty/a@v1", REGION);

        api.ensure("thrifty/b@v1", REGION);

        assertThat(state("thrifty/a@v1")).isEqualTo("ABSENT");
        api.put("/namespaces/thrifty/quota", Map.of("bytes", 4L * CHUNK)).expect(200);
        String request = api.accept("thrifty/a@v1", Map.of("region", REGION));
        assertThat(api.outcome("thrifty/a@v1", REGION, request, Duration.ofMinutes(1)).code())
                .isEqualTo("TOO_LARGE");
        api.post("/regions/" + REGION + "/sweep", Map.of());
        Await.until(
                "the version above the lower quota is evicted",
                Duration.ofSeconds(60),
                () -> state("thrifty/b@v1").equals("ABSENT"));
    }
}
