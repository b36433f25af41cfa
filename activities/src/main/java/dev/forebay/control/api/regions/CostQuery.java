package dev.forebay.control.api.regions;

import dev.forebay.control.api.RequestRules;
import dev.forebay.control.api.WholeNumber;
import dev.forebay.control.catalogue.reports.LedgerCatalogue.Choice;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.QueryParam;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The query parameters of a request for costs. */
record CostQuery(
        @QueryParam("namespace")
                @Pattern(regexp = RequestRules.NAME, message = RequestRules.NAME_RULE)
                @Nullable String namespace,
        @QueryParam("dataset")
                @Pattern(regexp = RequestRules.DATASET, message = RequestRules.DATASET_RULE)
                @Schema(description = "namespace/name")
                @Nullable String dataset,
        @QueryParam("version")
                @Pattern(regexp = RequestRules.VERSION, message = RequestRules.VERSION_RULE)
                @Schema(description = "A version of the dataset, by its name")
                @Nullable String version,
        @QueryParam("region")
                @Pattern(regexp = RequestRules.REGION, message = RequestRules.REGION_RULE)
                @Nullable String region,
        @QueryParam("run_id")
                @Pattern(regexp = RequestRules.TEXT, message = RequestRules.TEXT_RULE)
                @Size(max = RequestRules.TEXT_LENGTH, message = RequestRules.TEXT_RULE)
                @Nullable String runId,
        @QueryParam("since")
                @Pattern(regexp = RequestRules.DAY, message = RequestRules.DAY_RULE)
                @Schema(
                        description =
                                "The first day, in UTC. Default: the first of the last day's month")
                @Nullable String since,
        @QueryParam("until")
                @Pattern(regexp = RequestRules.DAY, message = RequestRules.DAY_RULE)
                @Schema(description = "The day after the last one, in UTC. Default: tomorrow")
                @Nullable String until,
        @QueryParam("by")
                @DefaultValue("dataset")
                @Pattern(regexp = RequestRules.COSTS_BY, message = RequestRules.COSTS_BY_RULE)
                String by,
        @QueryParam("limit") @DefaultValue("100") @WholeNumber(min = 1, max = 1000) String limit,
        @QueryParam("after") @Size(max = 400, message = RequestRules.AFTER_RULE)
                @Nullable String after) {

    Choice choice() {
        if (version != null && dataset == null) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT, "version '%s' needs a dataset".formatted(version));
        }
        LocalDate end =
                until == null
                        ? LocalDate.ofInstant(Instant.now(), ZoneOffset.UTC).plusDays(1)
                        : day("until", until);
        LocalDate begin = since == null ? end.minusDays(1).withDayOfMonth(1) : day("since", since);
        if (!begin.isBefore(end)) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "since '%s' must be before until '%s'".formatted(begin, end));
        }
        return new Choice(
                begin,
                end,
                namespace,
                dataset,
                version == null ? null : dataset + "@" + version,
                region,
                runId);
    }

    private static LocalDate day(String field, String text) {
        try {
            return LocalDate.parse(text);
        } catch (DateTimeParseException e) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "%s '%s' %s".formatted(field, text, RequestRules.DAY_RULE));
        }
    }
}
