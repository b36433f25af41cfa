package dev.forebay.control;

import static dev.forebay.control.TestControlPlane.AWAY;
import static dev.forebay.control.TestControlPlane.REGION;
import static dev.forebay.control.TestControlPlane.version;
import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.testing.Api;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Sends more requests than one workflow run can accept, on real servers. The workflow's own limit,
 * which {@code ManyUpdatesTest} lowers, is below Temporal's.
 */
@Tag("long")
class LongRunIT {

    /** Temporal's limit, which the test server has, too. */
    private static final int UPDATES_OF_A_RUN = 2_000;

    private static final int CALLERS = 16;

    private final TestControlPlane platform = TestControlPlane.shared();
    private final Api api = platform.api;

    @Test
    void anUnreachableRegionDoesNotBlockRequestsForOthers() throws Exception {
        String v = version(platform.dataset(3600), "v1");
        assertThat(ensure(v, REGION).status()).isEqualTo(200);
        Api.Answer waiting =
                api.post(v + "/ensure?wait_seconds=0", in(AWAY), "Idempotency-Key", "waiting");
        assertThat(waiting.status()).isEqualTo(202);

        Callable<Integer> call = () -> ensure(v, REGION).status();
        try (ExecutorService callers = Executors.newFixedThreadPool(CALLERS)) {
            List<Future<Integer>> answers =
                    callers.invokeAll(
                            IntStream.range(0, UPDATES_OF_A_RUN + CALLERS)
                                    .mapToObj(_ -> call)
                                    .toList());
            for (Future<Integer> answer : answers) {
                assertThat(answer.get()).isEqualTo(200);
            }
        }

        assertThat(api.get(v + "/requests/waiting?wait_seconds=0").status()).isEqualTo(202);
        assertThat(api.get(v).body().get("regions"))
                .extracting(region -> region.get("state").asText())
                .containsExactlyInAnyOrder("CACHED", "WARMING");
    }

    private Api.Answer ensure(String version, String region) {
        return api.post(version + "/ensure?wait_seconds=30", in(region));
    }

    private static String in(String region) {
        return "{\"region\":\"%s\"}".formatted(region);
    }
}
