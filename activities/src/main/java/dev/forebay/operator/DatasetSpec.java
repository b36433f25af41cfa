package dev.forebay.operator;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What somebody declares. Values have passed the rules of the definition, unless that was another
 * one then; the API has the same rules and more.
 *
 * @param source never changes
 * @param tracking null if the dataset does not follow its source
 * @param version the one that is kept warm: a name, a digest or {@code latest}
 * @param regions where it is kept warm
 * @param ttlSeconds of versions that are made from now on; null for what it is
 * @param ttlAfter {@code pin} or {@code read}; null for what it is
 * @param priority of the filling, {@code interactive} or {@code speculative}
 * @param create whether the version is created if the dataset has others, and not this one
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

    /** Of a resource without one: nothing that the API would take. */
    static final DatasetSpec NONE = new DatasetSpec(null, null, null, null, null, null, null, null);

    /** What the definition says, too. */
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
     * Where the originals are.
     *
     * @param uri {@code s3://bucket/prefix/}
     * @param include patterns of keys that belong to it; all do if there is none
     * @param exclude patterns of keys that do not
     * @param keys the object that lists the keys; null if all below the prefix are meant
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
     * How it follows its source.
     *
     * @param intervalSeconds null for what it is, or the default
     * @param paused null for what it is, or not
     */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Tracking(@Nullable Long intervalSeconds, @Nullable Boolean paused) {}
}
