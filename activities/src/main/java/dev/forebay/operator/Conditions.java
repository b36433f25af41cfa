package dev.forebay.operator;

import dev.forebay.operator.DatasetStatus.Condition;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Builds the new conditions of a resource. A condition whose status stays the same keeps its
 * transition time.
 */
final class Conditions {

    /** Whether the control plane has the dataset as declared. */
    static final String ACCEPTED = "Accepted";

    /**
     * Whether the last check of the source succeeded. Only for datasets that follow their source.
     */
    static final String FOLLOWED = "Followed";

    /** Whether the version is complete in all of its regions. Only if regions are declared. */
    static final String WARM = "Warm";

    /** Whether everything held is released. Only for resources that are being deleted. */
    static final String RELEASED = "Released";

    private static final String TRUE = "True";
    private static final String FALSE = "False";
    private static final String UNKNOWN = "Unknown";

    /** The API server's limit for a message. */
    private static final int MOST_CHARACTERS = 1024;

    private final DatasetStatus before;
    private final long generation;
    private final String now;
    private final List<Condition> all = new ArrayList<>();

    Conditions(DeclaredDataset declared, Instant now) {
        this.before = declared.status();
        this.generation = declared.generation();
        this.now = now.truncatedTo(ChronoUnit.SECONDS).toString();
    }

    void isTrue(String type, String reason, String message) {
        add(type, TRUE, reason, message);
    }

    void isFalse(String type, String reason, String message) {
        add(type, FALSE, reason, message);
    }

    void isUnknown(String type, String reason, String message) {
        add(type, UNKNOWN, reason, message);
    }

    /** Adds the previous condition of this type, if there was one. */
    void asBefore(String type) {
        before.condition(type).ifPresent(all::add);
    }

    private void add(String type, String status, String reason, String message) {
        String since =
                before.condition(type)
                        .filter(it -> it.status().equals(status))
                        .map(Condition::lastTransitionTime)
                        .orElse(now);
        all.add(new Condition(type, status, generation, since, reason, abbreviated(message)));
    }

    List<Condition> all() {
        return List.copyOf(all);
    }

    /**
     * Returns one word for all conditions: the reason of the first problem, or else the progress.
     */
    String state() {
        return all.stream()
                .filter(Conditions::isWrong)
                .findFirst()
                .or(() -> all.stream().filter(it -> it.type().equals(WARM)).findFirst())
                .orElseGet(all::getFirst)
                .reason();
    }

    private static boolean isWrong(Condition condition) {
        return condition.status().equals(FALSE)
                || (condition.type().equals(ACCEPTED) && !condition.status().equals(TRUE));
    }

    /** Converts a code to the form of a reason: {@code LAKE_EMPTY} becomes {@code LakeEmpty}. */
    static String reason(String code) {
        StringBuilder text = new StringBuilder();
        for (String word : code.split("_", -1)) {
            text.append(word, 0, Math.min(1, word.length()));
            text.append(word.substring(Math.min(1, word.length())).toLowerCase(Locale.ROOT));
        }
        return text.toString();
    }

    /** Shortens a text to the API server's limit. */
    static String abbreviated(String text) {
        return text.length() <= MOST_CHARACTERS
                ? text
                : text.substring(0, MOST_CHARACTERS - 1) + "…";
    }
}
