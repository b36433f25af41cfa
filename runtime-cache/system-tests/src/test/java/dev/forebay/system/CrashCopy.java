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
 * A version in one region: what is done to it while processes die, and so what has to be true of it
 * afterwards. Used by one thread at a time.
 */
final class CrashCopy {

    private static final Duration PATIENCE = Duration.ofMinutes(4);

    /** Longer than any round: whoever loses such a pin has not forgotten to renew it. */
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
     * @param story told what is done
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

    /** Whether it is in the region. */
    boolean isPresent() {
        return present;
    }

    /** How often it came into the region, having been nowhere there. */
    int fills() {
        return fills;
    }

    /** The id of the pin on it; null if there is none. */
    @Nullable String pin() {
        return pin;
    }

    /** Does something that can be done to it as it is. */
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

    /** Asks for it, once, and waits for the receipt that the answer promised. */
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
        JsonNode receipt = stack.api().receipt(dataset.version(), region, request, PATIENCE);
        assertThat(receipt.path("bytes_verified").asLong())
                .as("a receipt for %s", this)
                .isEqualTo(dataset.bytes());
        if (pinned) {
            assertThat(receipt.at("/pin/id").asText()).as("the pin of %s", this).isEqualTo(id);
            pin = id;
        }
        tell("has its receipt");
    }

    /** Lets go of the pin, if there is one. */
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

    /** Tries to take it away from whoever holds it. */
    private void evictInVain() throws Exception {
        tell("evict, in vain");
        Api.Answer answer = evicted();
        assertThat(answer.code()).as("evicting %s: %s", this, answer).isEqualTo("PINNED");
    }

    /** Has it removed, and waits until it is. Nobody may hold it. */
    void evict() throws Exception {
        if (!present) {
            return;
        }
        tell("evict");
        evicted().expect(200);
        Await.until(this + " is gone", PATIENCE, () -> state().equals("ABSENT"));
        present = false;
        tell("is gone");
    }

    private Api.Answer evicted() throws Exception {
        return stack.api().stubbornly("POST", path("/evict"), Map.of("region", region));
    }

    /** What its workflow says. */
    String state() throws Exception {
        return stack.api().residency(dataset.version(), region).path("state").asText("ABSENT");
    }

    /** A path of the API below the version's. */
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
