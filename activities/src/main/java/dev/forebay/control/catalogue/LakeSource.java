package dev.forebay.control.catalogue;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where the originals of a dataset are.
 *
 * @param prefix ends with {@code /}, or is empty for the whole bucket
 */
public record LakeSource(String bucket, String prefix) {

    /** What {@link #parse} accepts; S3's own rules for bucket names, and keys of 1,024 bytes. */
    public static final String PATTERN =
            "^s3://([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])/((?:[^\\x00\\p{Cs}]{0,1022}/)?)$";

    private static final Pattern URI = Pattern.compile(PATTERN);

    /**
     * Parses {@code s3://bucket/prefix/}.
     *
     * @throws ForebayException with {@link ErrorCode#INVALID_ARGUMENT}
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

    @Override
    public String toString() {
        return "s3://" + bucket + "/" + prefix;
    }
}
