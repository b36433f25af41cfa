package dev.forebay.lake.s3;

import dev.forebay.lake.LakeObject;
import dev.forebay.lake.s3.S3Failure.Request;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import software.amazon.awssdk.services.s3.S3AsyncClient;

/**
 * Checks that a store has objects under the keys that it lists. Some stores list {@code a%2Bb} or
 * {@code a b} for {@code a+b}. Without this check, a version would be frozen whose objects cannot
 * be read.
 *
 * <p>It checks one key of each kind that stores are known to garble, which usually costs one
 * request for each kind. Thread-safe.
 */
final class KeyProbe {

    /** The kinds of keys, by the characters in them. */
    private static final Map<String, Pattern> KINDS =
            Map.of(
                    "a plus sign", Pattern.compile("\\+"),
                    "a percent sign", Pattern.compile("%"),
                    "a blank", Pattern.compile(" "),
                    "a control character", Pattern.compile("\\p{Cntrl}"),
                    "a character of XML", Pattern.compile("[&<>'\"]"),
                    "a reserved character", Pattern.compile("[?#;:=@,\\\\]"),
                    "a slash beside another, or a dot of a path",
                            Pattern.compile("//|/\\.\\.?(/|$)"),
                    "a replacement character", Pattern.compile("\\x{FFFD}"),
                    "a character beyond ASCII", Pattern.compile("[\\x{80}-\\x{FFFC}]"),
                    "a character beyond U+FFFF", Pattern.compile("[\\x{10000}-\\x{10FFFF}]"));

    private final S3AsyncClient client;
    private final Attempts attempts;
    private final String bucket;
    private final String prefix;
    private final Set<String> known = ConcurrentHashMap.newKeySet();

    KeyProbe(S3AsyncClient client, Attempts attempts, String bucket, String prefix) {
        this.client = client;
        this.attempts = attempts;
        this.bucket = bucket;
        this.prefix = prefix;
    }

    /**
     * Checks an object that was listed and is wanted.
     *
     * @param listed whether the store still lists the object; if not, it was deleted
     * @throws ForebayException {@code INVALID_KEY} if the store does not have the object that it
     *     lists
     */
    void accept(LakeObject object, BooleanSupplier listed) {
        String rest = object.key().substring(prefix.length());
        KINDS.forEach(
                (kind, pattern) -> {
                    if (!known.contains(kind)
                            && pattern.matcher(rest).find()
                            && isThere(object, kind, listed)) {
                        known.add(kind);
                    }
                });
    }

    /** Returns false if another key of this kind must be checked. */
    private boolean isThere(LakeObject object, String kind, BooleanSupplier listed) {
        String what = "s3://" + bucket + "/" + object.key();
        try {
            attempts.run(
                    Request.read(object.versionId()),
                    what,
                    () ->
                            client.headObject(
                                    b ->
                                            b.bucket(bucket)
                                                    .key(object.key())
                                                    .versionId(object.versionId())));
            return true;
        } catch (ForebayException e) {
            if (e.code() != ErrorCode.LAKE_OBJECT_CHANGED) {
                if (e.retryable()) {
                    throw e;
                }
                // A later read of the object reports the refusal.
                return true;
            }
            if (listed.getAsBoolean()) {
                throw new ForebayException(
                        ErrorCode.INVALID_KEY,
                        "%s: the lake lists it, and has no object of that name: it garbles keys with %s. Rename such objects, or register another dataset that leaves them out with --exclude PATTERN"
                                .formatted(what, kind),
                        e);
            }
            return false;
        }
    }
}
