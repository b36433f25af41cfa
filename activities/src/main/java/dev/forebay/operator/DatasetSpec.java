package dev.forebay.operator;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The declared state of a dataset. The definition's rules have checked the values, unless it had
 * other rules then. The API has the same rules and more.
 *
 * @param source never changes
 * @param tracking null if the dataset does not follow its source
 * @param version the version to keep warm: a name, a digest or {@code latest}
 * @param regions the regions to keep it warm in
 * @param ttlSeconds the time to live of future versions; null to keep the present setting
 * @param ttlAfter {@code pin} or {@code read}; null to keep the present setting
 * @param priority of the fill, {@code interactive} or {@code speculative}
 * @param create whether to create the version if the dataset has other versions but not this one
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record DatasetSpec(
        Source source,
        @Nullable Tracking tracking,
        String version,
        List<String> regions,
        @Nullable Long ttlSeconds,
        @Nullable String ttlAfter,
        String priority,
        Boolean create) {

    /** The spec of a resource without one. The API would refuse it. */
    static final DatasetSpec NONE = new DatasetSpec(null, null, null, null, null, null, null, null);

    /** The defaults, as in the definition. */
    static final String LATEST = "latest";

    static final String INTERACTIVE = "interactive";
    static final String SPECULATIVE = "speculative";

    public DatasetSpec(
            @Nullable Source source,
            @Nullable Tracking tracking,
            @Nullable String version,
            @Nullable List<String> regions,
            @Nullable Long ttlSeconds,
            @Nullable String ttlAfter,
            @Nullable String priority,
            @Nullable Boolean create) {
        this.source = source == null ? new Source(null, null, null, null) : source;
        this.tracking = tracking;
        this.version = Objects.requireNonNullElse(version, LATEST);
        this.regions = regions == null ? List.of() : List.copyOf(regions);
        this.ttlSeconds = ttlSeconds;
        this.ttlAfter = ttlAfter;
        this.priority = Objects.requireNonNullElse(priority, SPECULATIVE);
        this.create = Objects.requireNonNullElse(create, false);
    }

    /**
     * The location of the originals.
     *
     * @param uri {@code s3://bucket/prefix/}
     * @param include patterns of keys to include; all keys if empty
     * @param exclude patterns of keys to exclude
     * @param keys the object that lists the keys; null for all keys below the prefix
     */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Source(
            String uri, List<String> include, List<String> exclude, @Nullable String keys) {

        public Source(
                @Nullable String uri,
                @Nullable List<String> include,
                @Nullable List<String> exclude,
                @Nullable String keys) {
            this.uri = Objects.requireNonNullElse(uri, "");
            this.include = include == null ? List.of() : List.copyOf(include);
            this.exclude = exclude == null ? List.of() : List.copyOf(exclude);
            this.keys = keys;
        }
    }

    /**
     * How the dataset follows its source.
     *
     * @param intervalSeconds null to keep the present setting, or the default
     * @param paused null to keep the present setting, or false
     */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Tracking(@Nullable Long intervalSeconds, @Nullable Boolean paused) {}
}
