package dev.forebay.control.eviction;

import dev.forebay.control.catalogue.QuotaCatalogue;
import dev.forebay.control.catalogue.Resident;
import dev.forebay.control.catalogue.ResidentCatalogue;
import dev.forebay.control.config.ControlPlaneConfig;
import dev.forebay.control.regions.Regions;
import dev.forebay.control.temporal.TemporalCalls;
import dev.forebay.control.temporal.TemporalCalls.NoSuchRunException;
import dev.forebay.control.temporal.VersionWorkflows;
import dev.forebay.lifecycle.Lifecycle;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ForebayException;
import dev.forebay.model.RegionName;
import dev.forebay.service.ServiceConfig;
import dev.forebay.service.gateway.UsageReport;
import dev.forebay.service.gateway.UsageReport.Mounted;
import dev.forebay.service.space.SharedBytes.Share;
import dev.forebay.workflows.message.Residency.State;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Plans the sweep of a region. Reads the catalogue, the agent, and the workflows of versions on
 * which these two disagree. Changes nothing. Thread-safe.
 */
@Singleton
public class SweepSurveyor {

    /** The maximum number of orphans in a plan: each needs a query to Temporal. */
    private static final int MOST_ORPHANS = 100;

    private final ResidentCatalogue residents;
    private final Regions regions;
    private final QuotaCatalogue quotas;
    private final EvictionCandidates candidates;
    private final VersionWorkflows workflows;
    private final TemporalCalls temporal;
    private final Duration timeout;
    private final SweepPlanner planner;

    SweepSurveyor(
            ResidentCatalogue residents,
            Regions regions,
            QuotaCatalogue quotas,
            EvictionCandidates candidates,
            VersionWorkflows workflows,
            TemporalCalls temporal,
            ServiceConfig service,
            ControlPlaneConfig config) {
        this.residents = residents;
        this.regions = regions;
        this.quotas = quotas;
        this.candidates = candidates;
        this.workflows = workflows;
        this.temporal = temporal;
        this.timeout = service.temporal().queryTimeout();
        this.planner =
                new SweepPlanner(
                        new Watermarks(
                                config.sweep().highWatermark(), config.sweep().lowWatermark()));
    }

    /**
     * The plan of a sweep and the usage on which it is based.
     *
     * @param usage empty if the agent does not answer
     */
    public record Preview(SweepPlan plan, Optional<UsageReport> usage) {}

    /**
     * Plans the sweep of a region.
     *
     * @throws ForebayException {@code UNAVAILABLE} if the catalogue does not answer
     */
    public Preview preview(RegionName region) {
        List<String> notes = new ArrayList<>();
        // Reads the usage before the catalogue: a version is in the catalogue before it is mounted.
        Optional<UsageReport> usage = usage(region, notes);
        Instant now = Instant.now();
        List<Resident> known = residents.list(region, now);
        if (known.size() == ResidentCatalogue.MOST) {
            notes.add(
                    "the plan covers only the first %,d versions"
                            .formatted(ResidentCatalogue.MOST));
        }
        List<Mounted> orphans =
                usage.map(report -> orphans(region, report, known)).orElse(List.of());
        Map<String, Long> limits = quotas.in(region);
        SweepSurvey survey =
                new SweepSurvey(
                        region,
                        now,
                        known,
                        usage,
                        orphans,
                        limits,
                        usage.filter(report -> isAboveQuota(report, limits))
                                .map(_ -> reserved(region, notes))
                                .orElse(List.of()),
                        candidates.worth(region, known.stream().map(Resident::version).toList()),
                        notes);
        return new Preview(planner.plan(survey), usage);
    }

    private static boolean isAboveQuota(UsageReport usage, Map<String, Long> limits) {
        return limits.entrySet().stream()
                .anyMatch(
                        limit ->
                                usage.spaceBytes().getOrDefault(limit.getKey(), 0L)
                                        > limit.getValue());
    }

    /** Returns the space that admission counts, whether chunks are in the stores or not. */
    private List<Share> reserved(RegionName region, List<String> notes) {
        try {
            return SurveyShares.of(regions.occupancy(region));
        } catch (ForebayException away) {
            notes.add("the plan ignores quotas: " + away.getMessage());
            return List.of();
        }
    }

    /** Returns whether the region has a version mounted, unpinned, that no workflow owns there. */
    boolean isOrphan(DatasetVersion version, RegionName region) {
        return regions.usage(region).versions().stream()
                        .anyMatch(mounted -> mounted.version().equals(version) && !mounted.pinned())
                && isDisowned(version, region);
    }

    private Optional<UsageReport> usage(RegionName region, List<String> notes) {
        try {
            UsageReport report = regions.usage(region);
            return Optional.of(report);
        } catch (ForebayException away) {
            notes.add("the plan ignores orphans, watermarks and reads: " + away.getMessage());
            return Optional.empty();
        }
    }

    private List<Mounted> orphans(RegionName region, UsageReport report, List<Resident> known) {
        Set<DatasetVersion> owned =
                known.stream().map(Resident::version).collect(Collectors.toSet());
        return report.versions().stream()
                .filter(mounted -> !owned.contains(mounted.version()))
                .filter(mounted -> !mounted.pinned())
                .limit(MOST_ORPHANS)
                .filter(mounted -> isDisowned(mounted.version(), region))
                .toList();
    }

    /**
     * Asks the workflow, because the catalogue may be outdated. Assumes that the workflow owns the
     * copy if it does not answer.
     */
    private boolean isDisowned(DatasetVersion version, RegionName region) {
        try {
            return temporal.call(
                    timeout,
                    () ->
                            Lifecycle.residency(workflows.status(version), region).state()
                                    == State.ABSENT);
        } catch (NoSuchRunException never) {
            return true;
        } catch (ForebayException unanswered) {
            return false;
        }
    }
}
