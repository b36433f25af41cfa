package dev.forebay.system;

import static dev.forebay.system.LakeFixture.bytes;
import static dev.forebay.system.RunningStack.KOREA;
import static dev.forebay.system.RunningStack.VIRGINIA;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.Map;

/** A version for tests of pages. */
final class ShownVersion {

    private static final Duration TIMEOUT = Duration.ofMinutes(1);

    private ShownVersion() {}

    /**
     * Creates {@code <name>/shown@v1}. One region has it, with a pin. In the other one its fill
     * fails.
     *
     * @return the receipt of the first region
     */
    static JsonNode make(RunningStack stack, String name, String holder) throws Exception {
        Api api = stack.api();
        String version = name + "/shown@v1";
        stack.lake().putAll(name + "/", Map.of("a.bin", bytes(1, 1000), "b.bin", bytes(2, 500)));
        api.register(name + "/shown", "s3://datasets/" + name + "/", Duration.ofHours(1));
        Map<String, Object> pin =
                Map.of("holder", holder, "reason", "training", "lease_seconds", 600);
        String pinned = api.accept(version, Map.of("region", KOREA, "pin", pin));
        JsonNode receipt = api.receipt(version, KOREA, pinned, TIMEOUT);
        stack.lake().put(name + "/b.bin", bytes(3, 500));
        String failed = api.accept(version, Map.of("region", VIRGINIA));
        assertThat(api.outcome(version, VIRGINIA, failed, TIMEOUT).code())
                .isEqualTo("LAKE_OBJECT_CHANGED");
        return receipt;
    }
}
