package dev.forebay.agent.admission;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The version that a pod requests by its annotations, and the terms.
 *
 * @param deadline the longest wait; unlimited if empty
 * @param runsCold whether the pod runs when the deadline has passed; otherwise it fails
 * @param create whether to create the version if its dataset has other versions but not this one
 */
public record PodVersionRequest(
        DatasetVersion version, Optional<Duration> deadline, boolean runsCold, boolean create) {

    /** {@code namespace/name@version}. */
    public static final String DATASET = "forebay.dev/dataset";

    /** A number of {@code s}, {@code m}, {@code h} or {@code d}. */
    public static final String DEADLINE = "forebay.dev/deadline";

    /** {@code fail} or {@code run_cold}. */
    public static final String ON_DEADLINE = "forebay.dev/on-deadline";

    /** {@code true} or {@code false}. */
    public static final String CREATE = "forebay.dev/create";

    private static final Pattern DURATION = Pattern.compile("([1-9][0-9]{0,5})([smhd])");
    private static final Duration LONGEST = Duration.ofDays(7);

    /**
     * With these the path would be unknown before the pod runs, and could differ among the pods of
     * a gang.
     */
    private static final Pattern NO_NAME = Pattern.compile("latest|[0-9A-Fa-f]{64}");

    /**
     * Reads the annotations of a pod.
     *
     * @return empty if the pod requests no version
     * @throws ForebayException {@code INVALID_ARGUMENT} naming the annotation, its value and the
     *     rule
     */
    public static Optional<PodVersionRequest> of(Map<String, String> annotations) {
        return Optional.ofNullable(annotations.get(DATASET))
                .map(
                        dataset ->
                                new PodVersionRequest(
                                        version(dataset),
                                        deadline(annotations),
                                        runsCold(annotations),
                                        creates(annotations)));
    }

    /** Returns whether a pod that has waited this long has passed its deadline. */
    public boolean isLate(Duration waited) {
        return deadline.filter(longest -> waited.compareTo(longest) >= 0).isPresent();
    }

    private static DatasetVersion version(String text) {
        try {
            DatasetVersion version = DatasetVersion.parse(text);
            if (!NO_NAME.matcher(version.version()).matches()) {
                return version;
            }
        } catch (ForebayException e) {
            throw refusal(DATASET, text, String.valueOf(e.getMessage()));
        }
        throw refusal(DATASET, text, "must name a version, not latest or a digest");
    }

    private static Optional<Duration> deadline(Map<String, String> annotations) {
        return Optional.ofNullable(annotations.get(DEADLINE)).map(PodVersionRequest::duration);
    }

    private static Duration duration(String text) {
        Matcher parts = DURATION.matcher(text);
        if (parts.matches()) {
            long count = Long.parseLong(parts.group(1));
            Duration duration =
                    switch (parts.group(2)) {
                        case "s" -> Duration.ofSeconds(count);
                        case "m" -> Duration.ofMinutes(count);
                        case "h" -> Duration.ofHours(count);
                        default -> Duration.ofDays(count);
                    };
            if (duration.compareTo(LONGEST) <= 0) {
                return duration;
            }
        }
        throw refusal(
                DEADLINE,
                text,
                "must be a whole number with unit s, m, h or d, at most " + "7d, such as 90m");
    }

    private static boolean runsCold(Map<String, String> annotations) {
        String text = annotations.get(ON_DEADLINE);
        if (text == null) {
            return false;
        }
        if (!annotations.containsKey(DEADLINE)) {
            throw refusal(ON_DEADLINE, text, "needs annotation " + DEADLINE);
        }
        return switch (text) {
            case "fail" -> false;
            case "run_cold" -> true;
            default -> throw refusal(ON_DEADLINE, text, "must be fail or run_cold");
        };
    }

    private static boolean creates(Map<String, String> annotations) {
        String text = annotations.getOrDefault(CREATE, "false");
        return switch (text) {
            case "false" -> false;
            case "true" -> true;
            default -> throw refusal(CREATE, text, "must be true or false");
        };
    }

    private static ForebayException refusal(String annotation, String value, String rule) {
        return new ForebayException(
                ErrorCode.INVALID_ARGUMENT,
                "annotation %s '%s': %s".formatted(annotation, value, rule));
    }
}
