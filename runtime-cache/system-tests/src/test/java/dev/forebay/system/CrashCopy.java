package dev.forebay.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One version in one region: the operations on it while processes die, and the state that must
 * result. Used by one thread at a time.
 */
final class CrashCopy {

    private static final Duration TIMEOUT = Duration.ofMinutes(4);

    /** Longer than any round, so a pin cannot end because a test did not renew it. */
    private static final int LEASE_SECONDS = 1_800;

    private final RunningStack stack;
    private final CrashDataset dataset;
    private final String region;
    private final Consumer<String> story;
    private boolean present;
    private int fills;
    private int pins;
    private @Nullable String pin;

    /**
     * @param story receives a line for each operation
     */
    CrashCopy(RunningStack stack, CrashDataset dataset, String region, Consumer<String> story) {
        this.stack = stack;
        this.dataset = dataset;
        this.region = region;
        this.story = story;
    }

    CrashDataset dataset() {
        return dataset;
    }

    String region() {
        return region;
    }

    /** Returns whether the version is in the region. */
    boolean isPresent() {
        return present;
    }

    /** Returns the number of times that the version was filled after being absent. */
    int fills() {
        return fills;
    }

    /** Returns the id of its pin, or null if there is none. */
    @Nullable String pin() {
        return pin;
    }

    /** Performs a random operation that its state allows. */
    void doSomething(Random random) throws Exception {
        if (!present) {
            ensure(random.nextInt(3) > 0);
        } else if (pin == null) {
            if (random.nextBoolean()) {
                ensure(true);
            } else {
                evict();
            }
        } else if (random.nextBoolean()) {
            evictInVain();
        } else {
            release();
        }
    }

    /** Sends one ensure request and waits for the receipt. */
    void ensure(boolean pinned) throws Exception {
        Map<String, Object> body = new HashMap<>();
        body.put("region", region);
        String id = "p" + ++pins;
        if (pinned) {
            body.put("pin", Map.of("id", id, "holder", "test", "lease_seconds", LEASE_SECONDS));
        }
        tell("ensure" + (pinned ? " with pin " + id : ""));
        fills += present ? 0 : 1;
        present = true;
        String request = stack.api().accept(dataset.version(), body);
        JsonNode receipt = stack.api().receipt(dataset.version(), region, request, TIMEOUT);
        assertThat(receipt.path("bytes_verified").asLong())
                .as("a receipt for %s", this)
                .isEqualTo(dataset.bytes());
        if (pinned) {
            assertThat(receipt.at("/pin/id").asText()).as("the pin of %s", this).isEqualTo(id);
            pin = id;
        }
        tell("has its receipt");
    }

    /** Releases the pin, if there is one. */
    void release() throws Exception {
        if (pin == null) {
            return;
        }
        tell("release " + pin);
        stack.api()
                .stubbornly("DELETE", path("/pins/" + pin + "?region=" + region), null)
                .expect(204);
        pin = null;
    }

    /** Tries to evict the version while it is pinned. */
    private void evictInVain() throws Exception {
        tell("evict, in vain");
        Api.Answer answer = evicted();
        assertThat(answer.code()).as("evicting %s: %s", this, answer).isEqualTo("PINNED");
    }

    /** Evicts the version and waits until it is gone. It must not be pinned. */
    void evict() throws Exception {
        if (!present) {
            return;
        }
        tell("evict");
        evicted().expect(200);
        Await.until(this + " is gone", TIMEOUT, () -> state().equals("ABSENT"));
        present = false;
        tell("is gone");
    }

    private Api.Answer evicted() throws Exception {
        return stack.api().stubbornly("POST", path("/evict"), Map.of("region", region));
    }

    /** Returns the state according to its workflow. */
    String state() throws Exception {
        return stack.api().residency(dataset.version(), region).path("state").asText("ABSENT");
    }

    /** Returns an API path below that of the version. */
    String path(String rest) {
        return Api.path(dataset.version()) + rest;
    }

    private void tell(String what) {
        story.accept("%s: %s".formatted(this, what));
    }

    @Override
    public String toString() {
        return "%s in %s".formatted(dataset.version(), region);
    }
}
