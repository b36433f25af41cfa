package dev.forebay.fuse.view;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.model.DatasetVersion;
import java.util.List;
import org.junit.jupiter.api.Test;

class NativeVersionsTest {

    private static final DatasetVersion FIRST = DatasetVersion.of("n", "first", "v1");
    private static final DatasetVersion SECOND = DatasetVersion.of("n", "second", "v1");

    // Only differences of the clock have a meaning.
    private long now = Long.MAX_VALUE;
    private final NativeVersions natives = new NativeVersions(() -> now);

    @Test
    void theOldestVersionYieldsFirstAndTheNextAfterAPause() {
        assertThat(natives.toYield()).isEmpty();
        natives.isNative(FIRST, true);
        natives.isNative(SECOND, true);
        natives.isNative(FIRST, true);
        assertThat(natives.toYield()).contains(FIRST);
        assertThat(natives.toYield()).isEmpty();
        now += NativeVersions.TIMEOUT.toNanos();
        assertThat(natives.toYield()).contains(SECOND);
        now += NativeVersions.TIMEOUT.toNanos();
        assertThat(natives.toYield()).isEmpty();
    }

    @Test
    void aVersionThatYieldedStaysOnDemandForAWhile() {
        natives.isNative(FIRST, true);
        assertThat(natives.toYield()).contains(FIRST);
        assertThat(natives.mayBeNative(FIRST)).isFalse();
        assertThat(natives.mayBeNative(SECOND)).isTrue();
        now += NativeVersions.REST.toNanos();
        assertThat(natives.mayBeNative(FIRST)).isTrue();
    }

    @Test
    void aVersionThatIsNotRetainedIsForgotten() {
        natives.isNative(FIRST, true);
        assertThat(natives.toYield()).contains(FIRST);
        natives.isNative(SECOND, true);
        now += NativeVersions.TIMEOUT.toNanos();
        natives.retain(List.of());
        assertThat(natives.mayBeNative(FIRST)).isTrue();
        assertThat(natives.toYield()).isEmpty();
    }

    @Test
    void aPredecessorsViewIsNotKnownToBeCompleteAtFirst() {
        assertThat(natives.isNative(FIRST, false)).isFalse();
        assertThat(natives.isNative(FIRST, true)).isTrue();
        assertThat(natives.isNative(FIRST, false)).isTrue();
        natives.remove(FIRST);
        assertThat(natives.isNative(FIRST, false)).isFalse();
    }
}
