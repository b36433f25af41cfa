package dev.forebay.agent.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PodVersionRequestTest {

    private static final String VERSION = "search/ko-bert@2026-11-20";

    @Test
    void aPodWithoutTheAnnotationRequestsNothing() {
        assertThat(
                        PodVersionRequest.of(
                                Map.of("app", "train", PodVersionRequest.DEADLINE, "nonsense")))
                .isEmpty();
    }

    @Test
    void aVersionAloneHasNoDeadline() {
        assertThat(PodVersionRequest.of(Map.of(PodVersionRequest.DATASET, VERSION)))
                .contains(
                        new PodVersionRequest(
                                DatasetVersion.parse(VERSION), Optional.empty(), false, false));
    }

    @ParameterizedTest
    @CsvSource({"90s, PT90S", "45m, PT45M", "12h, PT12H", "7d, P7D", "604800s, P7D"})
    void aDeadlineIsANumberAndAUnit(String text, Duration expected) {
        assertThat(
                        PodVersionRequest.of(
                                Map.of(
                                        PodVersionRequest.DATASET, VERSION,
                                        PodVersionRequest.DEADLINE, text,
                                        PodVersionRequest.ON_DEADLINE, "run_cold")))
                .contains(
                        new PodVersionRequest(
                                DatasetVersion.parse(VERSION), Optional.of(expected), true, false));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            textBlock =
                    """
                    search/ko-bert          | -   | -        | forebay.dev/dataset 'search/ko-bert'
                    Search/ko@v1            | -   | -        | forebay.dev/dataset 'Search/ko@v1'
                    search/ko-bert@latest   | -   | -        | must name a version
                    a/b@v/1                 | -   | -        | forebay.dev/dataset 'a/b@v/1'
                    a/b@v1                  | 0s  | -        | forebay.dev/deadline '0s'
                    a/b@v1                  | 8d  | -        | at most 7d
                    a/b@v1                  | 1w  | -        | forebay.dev/deadline '1w'
                    a/b@v1                  | 5   | -        | forebay.dev/deadline '5'
                    a/b@v1                  | 1h  | run-cold | must be fail or run_cold
                    a/b@v1                  | -   | fail     | needs annotation forebay.dev/deadline
                    """)
    void anInvalidAnnotationIsRefusedWithItsNameItsValueAndTheRule(
            String dataset, String deadline, String onDeadline, String said) {
        Map<String, String> annotations = new HashMap<>(Map.of(PodVersionRequest.DATASET, dataset));
        if (deadline != null) {
            annotations.put(PodVersionRequest.DEADLINE, deadline);
        }
        if (onDeadline != null) {
            annotations.put(PodVersionRequest.ON_DEADLINE, onDeadline);
        }

        assertThatExceptionOfType(ForebayException.class)
                .isThrownBy(() -> PodVersionRequest.of(annotations))
                .withMessageContaining(said)
                .extracting(ForebayException::code)
                .isEqualTo(ErrorCode.INVALID_ARGUMENT);
    }

    @Test
    void theCreateAnnotationMustBeTrueOrFalse() {
        assertThat(
                        PodVersionRequest.of(
                                Map.of(
                                        PodVersionRequest.DATASET,
                                        VERSION,
                                        PodVersionRequest.CREATE,
                                        "true")))
                .contains(
                        new PodVersionRequest(
                                DatasetVersion.parse(VERSION), Optional.empty(), false, true));
        assertThat(
                        PodVersionRequest.of(
                                Map.of(
                                        PodVersionRequest.DATASET,
                                        VERSION,
                                        PodVersionRequest.CREATE,
                                        "false")))
                .contains(
                        new PodVersionRequest(
                                DatasetVersion.parse(VERSION), Optional.empty(), false, false));
        assertThatExceptionOfType(ForebayException.class)
                .isThrownBy(
                        () ->
                                PodVersionRequest.of(
                                        Map.of(
                                                PodVersionRequest.DATASET,
                                                VERSION,
                                                PodVersionRequest.CREATE,
                                                "yes")))
                .withMessage("annotation forebay.dev/create 'yes': must be true or false");
    }

    @Test
    void aDigestIsRefusedAsTheNameOfAVersion() {
        assertThatExceptionOfType(ForebayException.class)
                .isThrownBy(
                        () ->
                                PodVersionRequest.of(
                                        Map.of(
                                                PodVersionRequest.DATASET,
                                                "a/b@" + "a1".repeat(32))))
                .withMessageContaining("or a digest");
    }
}
