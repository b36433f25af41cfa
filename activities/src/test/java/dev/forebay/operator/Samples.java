package dev.forebay.operator;

import dev.forebay.operator.DatasetAnswers.Cause;
import dev.forebay.operator.DatasetAnswers.Pin;
import dev.forebay.operator.DatasetAnswers.Residency;
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

    static DeclaredDataset declared(DatasetSpec spec, RegionHolding... recorded) {
        return declared(spec, null, recorded);
    }

    static DeclaredDataset declared(
            DatasetSpec spec, @Nullable Instant deletedAt, RegionHolding... recorded) {
        return new DeclaredDataset(
                "team", "digits", UID, 1, spec, status(List.of(recorded)), deletedAt);
    }

    /** Returns a status with only the record of what is held. */
    static DatasetStatus status(List<RegionHolding> recorded) {
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

    static ObservedDataset seen(DatasetAnswers.@Nullable Version version) {
        return new ObservedDataset(
                Optional.of(dataset(URI, null)), Optional.empty(), Optional.ofNullable(version));
    }

    static DatasetAnswers.Dataset dataset(String source, @Nullable String deletedAt) {
        return new DatasetAnswers.Dataset(
                source, List.of(), List.of(), null, 3600, "pin", deletedAt);
    }

    static DatasetAnswers.Version version(String name, Residency... regions) {
        return version(name, List.of(regions));
    }

    /** Returns a version with a pin of the resource in each of these regions. */
    static DatasetAnswers.Version version(String name, List<Residency> regions, String... pinned) {
        return new DatasetAnswers.Version(
                name,
                new DatasetAnswers.Manifest(2, 10),
                new DatasetAnswers.Origin("2026-11-19T10:00:00Z"),
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
