package dev.forebay.operator;

import dev.forebay.operator.DatasetStatus.Condition;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The conditions of a resource that are being written. One that is as it was before keeps the time
 * since when it is so.
 */
final class Conditions {

    /** Whether the control plane has the dataset as it is declared. */
    static final String ACCEPTED = "Accepted";

    /** Whether the last look at the source went well; only if it follows its source. */
    static final String FOLLOWED = "Followed";

    /** Whether the version is complete in all of its regions; only if it is to be in some. */
    static final String WARM = "Warm";

    /** Whether all is let go of what is held; only of a resource that is to go. */
    static final String RELEASED = "Released";

    private static final String TRUE = "True";
    private static final String FALSE = "False";
    private static final String UNKNOWN = "Unknown";

    /** The API server takes no longer ones. */
    private static final int MOST_CHARACTERS = 1024;

    private final DatasetStatus before;
    private final long generation;
    private final String now;
    private final List<Condition> all = new ArrayList<>();

    Conditions(Declared declared, Instant now) {
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

    /** What it was before, if it was anything. */
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

    /** One word for all of them: what is wrong, or else how far it is. */
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

    /** A code as reasons are written: {@code LAKE_EMPTY} is {@code LakeEmpty}. */
    static String reason(String code) {
        StringBuilder text = new StringBuilder();
        for (String word : code.split("_", -1)) {
            text.append(word, 0, Math.min(1, word.length()));
            text.append(word.substring(Math.min(1, word.length())).toLowerCase(Locale.ROOT));
        }
        return text.toString();
    }

    /** As much of a text as the API server takes. */
    static String abbreviated(String text) {
        return text.length() <= MOST_CHARACTERS
                ? text
                : text.substring(0, MOST_CHARACTERS - 1) + "…";
    }
}
