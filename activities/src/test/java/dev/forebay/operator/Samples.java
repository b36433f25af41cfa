package dev.forebay.operator;

import dev.forebay.operator.Answers.Cause;
import dev.forebay.operator.Answers.Pin;
import dev.forebay.operator.Answers.Residency;
import dev.forebay.operator.DatasetStatus.Region;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A resource and possible answers of a control plane. */
final class Samples {

    static final String UID = "5ed7";
    static final String URI = "s3://lake/digits/";
    static final DatasetSpec.Source SOURCE = new DatasetSpec.Source(URI, null, null, null);
    static final Instant NOW = Instant.parse("2026-11-20T10:00:00Z");

    private Samples() {}

    static DatasetSpec spec(
            String version, DatasetSpec.@Nullable Tracking tracking, String... regions) {
        return new DatasetSpec(SOURCE, tracking, version, List.of(regions), null, null, null, null);
    }

    static Declared declared(DatasetSpec spec, Holding... recorded) {
        return declared(spec, null, recorded);
    }

    static Declared declared(DatasetSpec spec, @Nullable Instant deletedAt, Holding... recorded) {
        return new Declared("team", "digits", UID, 1, spec, status(List.of(recorded)), deletedAt);
    }

    /** Returns a status with only the record of what is held. */
    static DatasetStatus status(List<Holding> recorded) {
        return DatasetStatus.NONE.with(
                recorded.stream()
                        .map(
                                it ->
                                        new Region(
                                                it.region(),
                                                it.version(),
                                                it.warm(),
                                                Residency.ABSENT,
                                                0,
                                                0,
                                                null,
                                                null))
                        .toList());
    }

    static Observed seen(Answers.@Nullable Version version) {
        return new Observed(
                Optional.of(dataset(URI, null)), Optional.empty(), Optional.ofNullable(version));
    }

    static Answers.Dataset dataset(String source, @Nullable String deletedAt) {
        return new Answers.Dataset(source, List.of(), List.of(), null, 3600, "pin", deletedAt);
    }

    static Answers.Version version(String name, Residency... regions) {
        return version(name, List.of(regions));
    }

    /** Returns a version with a pin of the resource in each of these regions. */
    static Answers.Version version(String name, List<Residency> regions, String... pinned) {
        return new Answers.Version(
                name,
                new Answers.Manifest(2, 10),
                new Answers.Origin("2026-11-19T10:00:00Z"),
                regions,
                List.of(pinned).stream()
                        .map(region -> new Pin("dataset-" + UID, region, "Dataset team/digits"))
                        .toList());
    }

    static Residency in(String region, String state) {
        return new Residency(region, state, state.equals("CACHED") ? 100 : 40, 4, null, null, null);
    }

    static Residency blocked(String region) {
        return new Residency(
                region,
                Residency.BLOCKED,
                40,
                4,
                null,
                new Cause("LAKE_OBJECT_CHANGED", "a.txt has changed in the lake"),
                null);
    }
}
