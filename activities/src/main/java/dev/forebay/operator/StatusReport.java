package dev.forebay.operator;

import dev.forebay.operator.DatasetAnswers.Residency;
import dev.forebay.operator.DatasetAnswers.Version;
import dev.forebay.operator.DatasetStatus.Region;
import dev.forebay.operator.PlanOutcome.Problem;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Describes for people what was observed and done. A pure function of its arguments. */
final class StatusReport {

    static final String REGISTERED = "Registered";
    static final String CHECKED = "Checked";
    static final String NOT_CHECKED = "NotCheckedYet";
    static final String PAUSED = "Paused";
    static final String CACHED = "Cached";
    static final String WARMING = "Warming";
    static final String WAITING = "Waiting";
    static final String BLOCKED = "Blocked";
    static final String NO_VERSION = "NoVersion";
    static final String RELEASING = "Releasing";

    private final DeclaredDataset declared;
    private final ObservedDataset seen;
    private final PlanOutcome outcome;
    private final Conditions conditions;
    private final List<Region> regions;

    private StatusReport(
            DeclaredDataset declared, ObservedDataset seen, PlanOutcome outcome, Instant now) {
        this.declared = declared;
        this.seen = seen;
        this.outcome = outcome;
        this.conditions = new Conditions(declared, now);
        this.regions = regions(seen, outcome);
    }

    /** Returns the status after a reconciliation. */
    static DatasetStatus of(
            DeclaredDataset declared, ObservedDataset seen, PlanOutcome outcome, Instant now) {
        return new StatusReport(declared, seen, outcome, now).status();
    }

    /** Returns the status if nothing could be observed: the earlier observations stay. */
    static DatasetStatus unseen(DeclaredDataset declared, Problem problem, Instant now) {
        DatasetStatus before = declared.status();
        Conditions conditions = new Conditions(declared, now);
        String reason = Conditions.reason(problem.code().name());
        if (problem.code().retryable()) {
            conditions.isUnknown(Conditions.ACCEPTED, reason, problem.message());
        } else {
            conditions.isFalse(Conditions.ACCEPTED, reason, problem.message());
        }
        conditions.asBefore(Conditions.FOLLOWED);
        conditions.asBefore(Conditions.WARM);
        return before.with(
                declared.generation(), conditions.state(), before.regions(), conditions.all());
    }

    /** Returns the regions to record before any request. */
    static List<Region> regions(ObservedDataset seen, PlanOutcome outcome) {
        return outcome.holdings().stream().map(it -> region(seen, outcome, it)).toList();
    }

    private static Region region(ObservedDataset seen, PlanOutcome outcome, RegionHolding holding) {
        Residency there =
                seen.version()
                        .filter(it -> it.version().equals(holding.version()))
                        .flatMap(it -> it.in(holding.region()))
                        .orElseGet(() -> Residency.none(holding.region()));
        return new Region(
                holding.region(),
                holding.version(),
                holding.warm(),
                there.state(),
                there.percent(),
                there.bytesCached(),
                there.cachedAt(),
                message(
                        there.blocked() != null ? there.blocked() : there.waiting(),
                        outcome.regions().get(holding.region())));
    }

    private static @Nullable String message(
            DatasetAnswers.@Nullable Cause cause, @Nullable Problem problem) {
        String message =
                problem != null ? problem.message() : cause == null ? null : cause.message();
        return message == null ? null : Conditions.abbreviated(message);
    }

    private DatasetStatus status() {
        if (declared.deletedAt() != null) {
            released();
            return declared.status()
                    .with(declared.generation(), conditions.state(), left(), conditions.all());
        }
        accepted();
        followed();
        warm();
        Optional<Version> version = seen.version();
        Optional<DatasetAnswers.Manifest> manifest =
                version.map(Version::manifest); // null, and so empty, until it is frozen
        return new DatasetStatus(
                declared.generation(),
                conditions.state(),
                version.map(Version::version).orElse(null),
                version.map(Version::origin).map(DatasetAnswers.Origin::frozenAt).orElse(null),
                manifest.map(DatasetAnswers.Manifest::objects).orElse(null),
                manifest.map(DatasetAnswers.Manifest::bytes).orElse(null),
                wanted().isEmpty() ? null : "%d/%d".formatted(warmRegions(), wanted().size()),
                version.map(this::heldBy).orElse(null),
                regions,
                conditions.all());
    }

    /** Returns the regions that still hold something, as they were when the deletion began. */
    private List<Region> left() {
        return declared.status().regions().stream()
                .filter(it -> outcome.holdings().contains(it.holding()))
                .map(it -> it.with(message(null, outcome.regions().get(it.name()))))
                .toList();
    }

    private void accepted() {
        outcome.problem()
                .ifPresentOrElse(
                        problem ->
                                conditions.isFalse(
                                        Conditions.ACCEPTED,
                                        Conditions.reason(problem.code().name()),
                                        problem.message()),
                        () ->
                                conditions.isTrue(
                                        Conditions.ACCEPTED,
                                        REGISTERED,
                                        "%s is registered with %s"
                                                .formatted(
                                                        declared.dataset(),
                                                        declared.spec().source().uri())));
    }

    private void followed() {
        if (declared.spec().tracking() == null) {
            return;
        }
        Optional<DatasetAnswers.Check> last =
                seen.tracking().map(DatasetAnswers.Tracking::lastCheck);
        Optional<DatasetAnswers.Cause> problem = last.map(DatasetAnswers.Check::problem);
        if (problem.isPresent()) {
            conditions.isFalse(
                    Conditions.FOLLOWED,
                    Conditions.reason(problem.get().code()),
                    problem.get().message());
        } else if (seen.tracking().filter(DatasetAnswers.Tracking::paused).isPresent()) {
            conditions.isTrue(Conditions.FOLLOWED, PAUSED, "checks of the source are paused");
        } else if (last.isEmpty()) {
            conditions.isUnknown(
                    Conditions.FOLLOWED, NOT_CHECKED, "the source was not checked yet");
        } else {
            // Without the time, because each check would otherwise change the message.
            conditions.isTrue(Conditions.FOLLOWED, CHECKED, "the last check succeeded");
        }
    }

    private void warm() {
        if (wanted().isEmpty()) {
            return;
        }
        String named =
                seen.version().map(Version::version).orElseGet(() -> declared.spec().version());
        Optional<Region> blocked = first(it -> it.state().equals(Residency.BLOCKED));
        Optional<Region> stuck = first(it -> outcome.regions().containsKey(it.name()));
        if (warmRegions() == wanted().size()) {
            conditions.isTrue(
                    Conditions.WARM,
                    CACHED,
                    "%s@%s is complete in %s"
                            .formatted(declared.dataset(), named, String.join(", ", wanted())));
        } else if (blocked.isPresent()) {
            conditions.isFalse(Conditions.WARM, BLOCKED, withName(blocked.get()));
        } else if (stuck.isPresent()) {
            Problem problem = outcome.regions().get(stuck.get().name());
            String reason = problem == null ? WAITING : Conditions.reason(problem.code().name());
            conditions.isFalse(Conditions.WARM, reason, withName(stuck.get()));
        } else {
            filling(named);
        }
    }

    private void filling(String named) {
        Optional<Region> waiting = first(it -> it.message() != null);
        if (waiting.isPresent()) {
            conditions.isFalse(Conditions.WARM, WAITING, withName(waiting.get()));
        } else if (regions.isEmpty()) {
            conditions.isFalse(
                    Conditions.WARM,
                    NO_VERSION,
                    "%s has no version yet: name one in spec.version, or let it follow its source (spec.tracking)"
                            .formatted(declared.dataset()));
        } else {
            conditions.isFalse(
                    Conditions.WARM,
                    WARMING,
                    "%s@%s is being filled in %s"
                            .formatted(
                                    declared.dataset(),
                                    named,
                                    regions.stream()
                                            .filter(it -> !isWarm(it))
                                            .map(Region::name)
                                            .collect(Collectors.joining(", "))));
        }
    }

    private void released() {
        Optional<Problem> problem =
                outcome.problem().or(() -> outcome.regions().values().stream().findFirst());
        String text =
                problem.map(Problem::message)
                        .orElse("the pins of this resource are being released");
        conditions.isFalse(Conditions.RELEASED, RELEASING, text);
    }

    private static String withName(Region region) {
        return region.name() + ": " + region.message();
    }

    private List<String> wanted() {
        return declared.spec().regions();
    }

    private long warmRegions() {
        return regions.stream()
                .filter(it -> wanted().contains(it.name()))
                .filter(StatusReport::isWarm)
                .count();
    }

    private static boolean isWarm(Region region) {
        return region.version().equals(region.warm());
    }

    private Optional<Region> first(Predicate<Region> which) {
        return regions.stream()
                .filter(it -> wanted().contains(it.name()))
                .filter(it -> !isWarm(it))
                .filter(which)
                .findFirst();
    }

    /** Returns the other holders of pins: {@code job train-7 and 2 more}. */
    private @Nullable String heldBy(Version version) {
        List<String> holders =
                version.pins().stream()
                        .filter(it -> !it.id().equals(declared.pin()))
                        .map(DatasetAnswers.Pin::holder)
                        .distinct()
                        .sorted()
                        .toList();
        if (holders.isEmpty()) {
            return null;
        }
        return holders.size() == 1
                ? holders.getFirst()
                : "%s and %d more".formatted(holders.getFirst(), holders.size() - 1);
    }
}
