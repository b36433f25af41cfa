package dev.forebay.control.fsck;

import dev.forebay.control.catalogue.VersionCatalogue;
import dev.forebay.control.catalogue.VersionCatalogue.Row;
import dev.forebay.control.fsck.Finding.Kind;
import dev.forebay.control.fsck.Finding.State;
import dev.forebay.control.regions.Regions;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.RegionName;
import dev.forebay.service.gateway.VerifyReport;
import dev.forebay.service.gateway.VerifyRequest;
import dev.forebay.workflows.message.Residency;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Lets the workers of every region verify the checksums of versions that are CACHED there, a few
 * seconds at a time. Thread-safe.
 */
@Singleton
class ChunkCheck {

    private static final int ROWS = 100;

    /** The duration of one request to an agent. It must be less than the timeout of the request. */
    private static final long SECONDS = 5;

    private static final long DONE = -1;

    private final VersionCatalogue versions;
    private final Regions regions;

    ChunkCheck(VersionCatalogue versions, Regions regions) {
        this.versions = versions;
        this.regions = regions;
    }

    /**
     * One page of findings.
     *
     * @param next the value of {@code after} for the next page; null at the end
     */
    record Page(List<Finding> findings, @Nullable String next) {}

    /**
     * The progress of a check, written as {@code namespace/name@version/region/ordinal}.
     *
     * @param ordinal the next chunk, or DONE
     */
    private record Place(DatasetVersion version, String region, long ordinal) {

        static Place parse(String written) {
            try {
                int ordinal = written.lastIndexOf('/');
                int region = written.lastIndexOf('/', ordinal - 1);
                return new Place(
                        DatasetVersion.parse(written.substring(0, region)),
                        written.substring(region + 1, ordinal),
                        Long.parseLong(written.substring(ordinal + 1)));
            } catch (StringIndexOutOfBoundsException | NumberFormatException e) {
                throw new ForebayException(
                        ErrorCode.INVALID_ARGUMENT,
                        "after '%s' must be the field next of a page".formatted(written),
                        e);
            }
        }

        @Override
        public String toString() {
            return version + "/" + region + "/" + ordinal;
        }
    }

    private record Target(Place place, ManifestRef manifest) {}

    /**
     * Verifies chunks until a deadline.
     *
     * @param after {@code next} of the page before; empty for the first page
     * @param until the deadline in nanoseconds of {@link System#nanoTime}
     */
    Page check(FsckScope scope, String after, long until) {
        List<Finding> findings = new ArrayList<>();
        Place place = after.isEmpty() ? null : Place.parse(after);
        while (true) {
            Target target = next(scope, place).orElse(null);
            if (target == null) {
                return new Page(findings, null);
            }
            place = verify(target, findings);
            if (System.nanoTime() > until) {
                return new Page(findings, place.toString());
            }
        }
    }

    private Place verify(Target target, List<Finding> findings) {
        Place at = target.place;
        try {
            VerifyReport report =
                    verified(
                            new RegionName(at.region),
                            new VerifyRequest(target.manifest, at.ordinal, SECONDS));
            if (report.repaired() > 0) {
                findings.add(
                        new Finding(
                                Kind.CHUNK_DAMAGED,
                                at.version,
                                new RegionName(at.region),
                                "%d stored chunks were missing or damaged"
                                        .formatted(report.repaired()),
                                "workers drop damaged chunks and fetch them again, also without "
                                        + "--repair",
                                State.REPAIRED,
                                null));
            }
            if (report.unanswered() > 0) {
                findings.add(
                        silent(
                                at,
                                "%d chunks or workers did not answer with checksums"
                                        .formatted(report.unanswered())));
            }
            return report.done()
                    ? new Place(at.version, at.region, DONE)
                    : new Place(at.version, at.region, report.next());
        } catch (ForebayException unanswered) {
            findings.add(silent(at, String.valueOf(unanswered.getMessage())));
            return new Place(at.version, at.region, DONE);
        }
    }

    /** Retries once, so that one late answer does not exclude the rest of a version. */
    private VerifyReport verified(RegionName region, VerifyRequest request) {
        try {
            return regions.verify(region, request);
        } catch (ForebayException late) {
            if (!late.retryable()) {
                throw late;
            }
            return regions.verify(region, request);
        }
    }

    private static Finding silent(Place at, String message) {
        return new Finding(
                Kind.REGION_SILENT,
                at.version,
                new RegionName(at.region),
                message,
                "check that the region's agent and workers answer, and run fsck again",
                State.BY_HAND,
                null);
    }

    private Optional<Target> next(FsckScope scope, @Nullable Place place) {
        if (place != null) {
            Optional<Target> here =
                    place.ordinal == DONE
                            ? first(place.version, place.region)
                            : target(place.version, place.region, place.ordinal);
            if (here.isPresent()) {
                return here;
            }
        }
        String after = place == null ? "" : place.version.toString();
        while (true) {
            List<DatasetVersion> some = versions.names(scope.from(), scope.until(), after, ROWS);
            for (DatasetVersion version : some) {
                Optional<Target> target = first(version, "");
                if (target.isPresent()) {
                    return target;
                }
            }
            if (some.size() < ROWS) {
                return Optional.empty();
            }
            after = some.getLast().toString();
        }
    }

    /**
     * Returns the start of the version in the first region after {@code after} that has all of it.
     */
    private Optional<Target> first(DatasetVersion version, String after) {
        return versions.row(version).stream()
                .flatMap(row -> row.status().regions().stream())
                .filter(residency -> residency.state() == Residency.State.CACHED)
                .map(residency -> residency.region().value())
                .filter(region -> region.compareTo(after) > 0 && regions.names().contains(region))
                .sorted()
                .findFirst()
                .flatMap(region -> target(version, region, 0));
    }

    private Optional<Target> target(DatasetVersion version, String region, long ordinal) {
        return versions.row(version)
                .map(Row::status)
                .flatMap(status -> Optional.ofNullable(status.manifest()))
                .map(manifest -> new Target(new Place(version, region, ordinal), manifest));
    }
}
