package dev.forebay.operator;

import dev.forebay.operator.DatasetStatus.Condition;
import dev.forebay.operator.DatasetStatus.Region;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * An event beside the resource, for people.
 *
 * @param reason a word
 * @param message a sentence
 */
record DatasetEvent(Kind kind, String reason, String message) {

    /** The types of events, as the API server names them. */
    enum Kind {
        NORMAL("Normal"),
        WARNING("Warning");

        private final String text;

        Kind(String text) {
            this.text = text;
        }

        @Override
        public String toString() {
            return text;
        }
    }

    /** Reasons that need no action. */
    private static final Set<String> PASSING =
            Set.of(
                    StatusReport.NOT_CHECKED,
                    StatusReport.WARMING,
                    StatusReport.WAITING,
                    StatusReport.NO_VERSION,
                    StatusReport.RELEASING);

    /**
     * Returns the events between two reconciliations. A state that persists or only progresses
     * causes no event, so the number of events is bounded by the number of changes.
     */
    static List<DatasetEvent> between(DatasetStatus before, DatasetStatus after) {
        List<DatasetEvent> all = new ArrayList<>();
        for (Condition condition : after.conditions()) {
            if (isNews(before.condition(condition.type()), condition)) {
                all.add(of(condition));
            }
        }
        for (Region region : after.regions()) {
            if (isWarm(region) && before.regions().stream().noneMatch(it -> isSame(it, region))) {
                all.add(
                        new DatasetEvent(
                                Kind.NORMAL,
                                "RegionWarm",
                                "%s is complete in %s".formatted(region.version(), region.name())));
            }
        }
        return List.copyOf(all);
    }

    /**
     * Returns the event of a resource that was deleted before everything that it held was released.
     */
    static DatasetEvent givenUp(String dataset, String why) {
        return new DatasetEvent(
                Kind.WARNING,
                "ReleaseGivenUp",
                "not everything was released. Pins end with their leases. If the dataset is still registered, delete it with 'forebay datasets delete %s': %s"
                        .formatted(dataset, why));
    }

    private static boolean isNews(Optional<Condition> before, Condition after) {
        return before.filter(it -> it.status().equals(after.status()))
                .filter(it -> it.reason().equals(after.reason()))
                .isEmpty();
    }

    private static DatasetEvent of(Condition condition) {
        boolean well = condition.status().equals("True") || PASSING.contains(condition.reason());
        return new DatasetEvent(
                well ? Kind.NORMAL : Kind.WARNING, condition.reason(), condition.message());
    }

    private static boolean isWarm(Region region) {
        return region.version().equals(region.warm());
    }

    private static boolean isSame(Region before, Region after) {
        return before.name().equals(after.name()) && after.version().equals(before.warm());
    }
}
