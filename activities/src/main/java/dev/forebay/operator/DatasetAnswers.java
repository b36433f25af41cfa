package dev.forebay.operator;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The parts of the REST API's answers that the operator reads. Times are RFC 3339 texts. */
final class DatasetAnswers {

    private DatasetAnswers() {}

    record Dataset(
            String source,
            List<String> include,
            List<String> exclude,
            @Nullable String keys,
            long ttlSeconds,
            String ttlAfter,
            @Nullable String deletedAt) {

        boolean isOf(DatasetSpec.Source declared) {
            return declared.equals(new DatasetSpec.Source(source, include, exclude, keys));
        }
    }

    record Tracking(long intervalSeconds, boolean paused, @Nullable Check lastCheck) {}

    record Check(String checkedAt, @Nullable Cause problem) {}

    record Cause(String code, String message) {}

    /** A version. The manifest is null until the version is frozen. */
    record Version(
            String version,
            @Nullable Manifest manifest,
            @Nullable Origin origin,
            List<Residency> regions,
            List<Pin> pins) {

        Optional<Residency> in(String region) {
            return regions.stream().filter(it -> it.region().equals(region)).findFirst();
        }

        boolean isPinned(String region, String pin) {
            return pins.stream().anyMatch(it -> it.region().equals(region) && it.id().equals(pin));
        }
    }

    record Manifest(long objects, long bytes) {}

    record Origin(String frozenAt) {}

    record Residency(
            String region,
            String state,
            int percent,
            long bytesCached,
            @Nullable String cachedAt,
            @Nullable Cause blocked,
            @Nullable Cause waiting) {

        static final String ABSENT = "ABSENT";
        static final String CACHED = "CACHED";
        static final String BLOCKED = "BLOCKED";

        /** Returns the residency of a region that holds nothing of the version. */
        static Residency none(String region) {
            return new Residency(region, ABSENT, 0, 0, null, null, null);
        }

        boolean isCached() {
            return state.equals(CACHED);
        }

        boolean isBlocked() {
            return state.equals(BLOCKED);
        }
    }

    record Pin(String id, String region, String holder) {}
}
