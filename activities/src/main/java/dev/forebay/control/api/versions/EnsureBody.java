package dev.forebay.control.api.versions;

import dev.forebay.control.api.RequestRules;
import dev.forebay.workflows.message.RequestTerms;
import dev.forebay.workflows.message.RequestTerms.OnDeadline;
import dev.forebay.workflows.message.Urgency;
import jakarta.validation.Valid;
import jakarta.validation.constraints.DecimalMax;
import jakarta.validation.constraints.DecimalMin;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The body of an ensure request. */
@Schema(name = "Ensure")
@OneOrMoreRegions
record EnsureBody(
        @Pattern(regexp = RequestRules.REGION, message = RequestRules.REGION_RULE)
                @Schema(description = "The region. Give region or regions")
                @Nullable String region,
        @Schema(
                        description =
                                "Several regions instead of region. The response follows when "
                                        + "all are complete")
                @Nullable
                        List<
                                @NotNull(message = RequestRules.REGION_RULE)
                                @Pattern(
                                        regexp = RequestRules.REGION,
                                        message = RequestRules.REGION_RULE)
                                String>
                        regions,
        @Valid
                @Schema(
                        description =
                                "A pin to take in each region as soon as the version is present")
                @Nullable PinSpec pin,
        @DecimalMin(value = "0", message = RequestRules.COVERAGE_RULE)
                @DecimalMax(value = "1", message = RequestRules.COVERAGE_RULE)
                @Schema(
                        description =
                                "The part of the bytes that must be present and verified, 0 to "
                                        + "1. Default 1. The fill continues with the rest")
                @Nullable Double minCoverage,
        @Min(value = RequestRules.MIN_DEADLINE_SECONDS, message = RequestRules.DEADLINE_RULE)
                @Max(
                        value = RequestRules.MAX_DEADLINE_SECONDS,
                        message = RequestRules.DEADLINE_RULE)
                @Schema(description = "Deadline, in seconds. Absent: none")
                @Nullable Long deadlineSeconds,
        @Pattern(regexp = RequestRules.ON_DEADLINE, message = RequestRules.ON_DEADLINE_RULE)
                @Schema(
                        enumeration = {"fail", "run_cold"},
                        description =
                                "Response after the deadline: fail is 504 DEADLINE_EXCEEDED, "
                                        + "run_cold is a receipt with the reason. Default fail")
                @Nullable String onDeadline,
        @Pattern(regexp = RequestRules.PRIORITY, message = RequestRules.PRIORITY_RULE)
                @Schema(
                        enumeration = {"interactive", "speculative"},
                        description =
                                "interactive if a job waits, the default. speculative fills run "
                                        + "after interactive ones, and only within the budget")
                @Nullable String priority,
        @Pattern(regexp = RequestRules.TEXT, message = RequestRules.TEXT_RULE)
                @Size(max = RequestRules.TEXT_LENGTH, message = RequestRules.TEXT_RULE)
                @Schema(
                        description =
                                "The run that sends the request. The ledger books the fills that "
                                        + "it causes to this run")
                @Nullable String runId,
        @Schema(
                        description =
                                "Whether to create the version if the dataset does not have it. "
                                        + "Absent: only the first version is created")
                @Nullable Boolean create) {

    /** Returns the names of the requested regions, from either field. */
    List<String> named() {
        return regions != null ? regions : Stream.ofNullable(region).toList();
    }

    RequestTerms terms() {
        return new RequestTerms(
                minCoverage == null ? 1 : minCoverage,
                deadlineSeconds == null ? null : Duration.ofSeconds(deadlineSeconds),
                chosen(OnDeadline.class, onDeadline, OnDeadline.FAIL),
                chosen(Urgency.class, priority, Urgency.INTERACTIVE));
    }

    private static <E extends Enum<E>> E chosen(Class<E> kind, @Nullable String name, E otherwise) {
        return name == null ? otherwise : Enum.valueOf(kind, name.toUpperCase(Locale.ROOT));
    }
}
