package dev.forebay.control.catalogue;

import dev.forebay.model.DatasetName;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.KeyFilter;
import dev.forebay.model.ShellWord;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The source of a dataset in the lake: a bucket, a prefix, and filters that choose objects below
 * it.
 *
 * @param prefix ends with {@code /}, or is empty for the whole bucket
 * @param include patterns of keys relative to the prefix, one of which must match; empty for all
 * @param exclude patterns of keys relative to the prefix, none of which may match
 * @param keys the URI of an object that lists the chosen keys; null to list the prefix
 */
public record LakeSource(
        String bucket,
        String prefix,
        List<String> include,
        List<String> exclude,
        @Nullable String keys) {

    /** The maximum number of include patterns, and of exclude patterns. */
    public static final int MOST_PATTERNS = 64;

    /**
     * The pattern of the text that {@link #parse} accepts. S3 defines the rules for bucket names
     * and the limit of 1,024 bytes for keys.
     */
    public static final String PATTERN =
            "^s3://([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])/((?:[^\\x00\\p{Cs}]{0,1022}/)?)$";

    /** The pattern of the URI of an object. */
    public static final String OBJECT_PATTERN =
            "^s3://([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])/([^\\x00\\p{Cs}]{0,1023}[^\\x00\\p{Cs}/])$";

    private static final Pattern URI = Pattern.compile(PATTERN);
    private static final Pattern OBJECT = Pattern.compile(OBJECT_PATTERN);

    public LakeSource {
        include = List.copyOf(include);
        exclude = List.copyOf(exclude);
    }

    /** Creates a source of all objects below a prefix. */
    public LakeSource(String bucket, String prefix) {
        this(bucket, prefix, List.of(), List.of(), null);
    }

    /** The address of an object in the lake. */
    public record Address(String bucket, String key) {}

    /**
     * Parses {@code s3://bucket/prefix/}.
     *
     * @throws ForebayException {@code INVALID_ARGUMENT} for any other form
     */
    public static LakeSource parse(String uri) {
        Matcher matcher = URI.matcher(uri);
        if (!matcher.matches()) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "source '%s' must be s3://bucket/prefix/ with a / at its end".formatted(uri));
        }
        return new LakeSource(matcher.group(1), matcher.group(2));
    }

    /**
     * Returns this source with the given filters.
     *
     * @throws ForebayException {@code INVALID_ARGUMENT}, naming field, value and rule
     */
    public LakeSource with(List<String> included, List<String> excluded, @Nullable String list) {
        LakeSource chosen = new LakeSource(bucket, prefix, included, excluded, list);
        KeyFilter _ = chosen.filter();
        Address _ = list == null ? null : address(list);
        return chosen;
    }

    /** Returns the filter of keys relative to the prefix. */
    public KeyFilter filter() {
        return KeyFilter.of(include, exclude);
    }

    /**
     * Returns the filter of full keys below the prefix. It applies the patterns, not the list of
     * keys.
     */
    public Predicate<String> chosen() {
        KeyFilter filter = filter();
        return key -> filter.accepts(key.substring(prefix.length()));
    }

    /** Returns the longest known prefix of all keys that pass the filter. */
    public String chosenPrefix() {
        return prefix + filter().literalPrefix();
    }

    /** Returns the address of the list of keys; null if there is none. */
    public @Nullable Address keysAddress() {
        return keys == null ? null : address(keys);
    }

    private static Address address(String uri) {
        Matcher matcher = OBJECT.matcher(uri);
        if (!matcher.matches()) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "keys '%s' must be s3://bucket/key of an object".formatted(uri));
        }
        return new Address(matcher.group(1), matcher.group(2));
    }

    /** Returns this source with more exclude patterns; empty if that makes too many. */
    public Optional<LakeSource> without(List<String> excluded) {
        List<String> both = Stream.concat(exclude.stream(), excluded.stream()).distinct().toList();
        return both.size() > MOST_PATTERNS
                ? Optional.empty()
                : Optional.of(new LakeSource(bucket, prefix, include, both, keys));
    }

    /** Returns the command line that registers a dataset with this source. */
    public String registration(DatasetName dataset) {
        StringBuilder command =
                new StringBuilder("forebay datasets register ")
                        .append(dataset)
                        .append(' ')
                        .append(ShellWord.of(toString()));
        include.forEach(each -> command.append(option("--include", each)));
        exclude.forEach(each -> command.append(option("--exclude", each)));
        if (keys != null) {
            command.append(option("--keys", keys));
        }
        return command.toString();
    }

    /**
     * Joins a value that begins with a hyphen by {@code =}. The command would take it for an option
     * otherwise.
     */
    private static String option(String name, String value) {
        return " " + name + (value.startsWith("-") ? "=" : " ") + ShellWord.of(value);
    }

    /** Returns the source with its filters, for messages. */
    public String describe() {
        StringBuilder text = new StringBuilder(toString());
        if (!include.isEmpty()) {
            text.append(", include ").append(include);
        }
        if (!exclude.isEmpty()) {
            text.append(", exclude ").append(exclude);
        }
        if (keys != null) {
            text.append(", keys ").append(keys);
        }
        return text.toString();
    }

    /** Returns the URI without the filters, in the form that {@link #parse} accepts. */
    @Override
    public String toString() {
        return "s3://" + bucket + "/" + prefix;
    }
}
