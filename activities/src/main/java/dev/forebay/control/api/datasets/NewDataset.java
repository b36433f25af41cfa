package dev.forebay.control.api.datasets;

import dev.forebay.control.api.KeyPattern;
import dev.forebay.control.api.RequestRules;
import dev.forebay.control.catalogue.LakeSource;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** A dataset to register. */
@Schema(name = "NewDataset")
record NewDataset(
        @NotNull(message = RequestRules.REQUIRED)
                @Pattern(regexp = RequestRules.NAME, message = RequestRules.NAME_RULE)
                @Schema(examples = "vision")
                String namespace,
        @NotNull(message = RequestRules.REQUIRED)
                @Pattern(regexp = RequestRules.NAME, message = RequestRules.NAME_RULE)
                @Schema(examples = "digits")
                String name,
        @NotNull(message = RequestRules.REQUIRED)
                @Pattern(regexp = LakeSource.PATTERN, message = RequestRules.SOURCE_RULE)
                @Schema(
                        description = "The location of the originals in the lake",
                        examples = "s3://lake/vision/digits/")
                String source,
        @Size(max = RequestRules.MOST_PATTERNS, message = RequestRules.PATTERNS_RULE)
                @Schema(
                        description =
                                "Patterns for keys, relative to the source. A key belongs to the "
                                        + "dataset if one of them matches: * and ? match within "
                                        + "a component, ** any number of components. Empty: all "
                                        + "keys",
                        examples = "train/**")
                @Nullable List<@NotNull(message = RequestRules.REQUIRED) @KeyPattern String>
                        include,
        @Size(max = RequestRules.MOST_PATTERNS, message = RequestRules.PATTERNS_RULE)
                @Schema(
                        description =
                                "Patterns for keys that do not belong to the dataset, even if "
                                        + "include matches them",
                        examples = "**/*.tmp")
                @Nullable List<@NotNull(message = RequestRules.REQUIRED) @KeyPattern String>
                        exclude,
        @Pattern(regexp = LakeSource.OBJECT_PATTERN, message = RequestRules.KEYS_RULE)
                @Schema(
                        description =
                                "An object that lists the keys, one per line. Absent: all keys "
                                        + "below the source",
                        examples = "s3://lake/vision/lists/digits.txt")
                @Nullable String keys,
        @Min(value = RequestRules.MIN_TTL_SECONDS, message = RequestRules.TTL_RULE)
                @Max(value = RequestRules.MAX_TTL_SECONDS, message = RequestRules.TTL_RULE)
                @Schema(
                        description =
                                "How long new versions stay in a region after their last pin "
                                        + "ends, in seconds")
                @Nullable Long ttlSeconds,
        @Pattern(regexp = RequestRules.TTL_AFTER, message = RequestRules.TTL_AFTER_RULE)
                @Schema(
                        enumeration = {"pin", "read"},
                        description =
                                "Start of the time to live: the end of the last pin, or the "
                                        + "later of that and the last read. Default pin")
                @Nullable String ttlAfter) {

    LakeSource lakeSource() {
        return LakeSource.parse(source)
                .with(
                        include == null ? List.of() : include,
                        exclude == null ? List.of() : exclude,
                        keys);
    }

    DatasetTtl ttl() {
        return new DatasetTtl(ttlSeconds, ttlAfter);
    }
}
