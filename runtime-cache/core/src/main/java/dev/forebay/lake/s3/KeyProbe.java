package dev.forebay.lake.s3;

import dev.forebay.lake.LakeObject;
import dev.forebay.lake.s3.S3Failure.Request;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.text.Normalizer;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
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

    /** Stores decode, escape or replace these characters of ASCII, each in its own way. */
    private static final String SPECIAL = "+% &<>'\"?#;:=@,\\*|^`{}~$!()[]";

    private static final int FIRST_BEYOND_ASCII = 0x80;
    private static final int REPLACEMENT = 0xFFFD;
    private static final Pattern ESCAPE = Pattern.compile("%[0-9A-Fa-f]{2}");
    private static final Pattern PATH = Pattern.compile("//|/\\.\\.?(/|$)");

    private final S3AsyncClient client;
    private final RetryPolicy attempts;
    private final String bucket;
    private final String prefix;
    private final Set<String> known = ConcurrentHashMap.newKeySet();

    KeyProbe(S3AsyncClient client, RetryPolicy attempts, String bucket, String prefix) {
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
        for (String kind : kinds(object.key().substring(prefix.length()))) {
            if (!known.contains(kind) && isThere(object, kind, listed)) {
                known.add(kind);
            }
        }
    }

    /** Returns the kinds of a key, by the characters in it. Most keys have none. */
    private static Set<String> kinds(String key) {
        Set<String> kinds = new LinkedHashSet<>();
        for (int character : key.codePoints().toArray()) {
            String kind = kind(character);
            if (kind != null) {
                kinds.add(kind);
            }
        }
        if (ESCAPE.matcher(key).find()) {
            kinds.add("a percent sign and two hexadecimal digits");
        }
        if (PATH.matcher(key).find()) {
            kinds.add("a slash beside another, or a dot of a path");
        }
        if (!Normalizer.isNormalized(key, Normalizer.Form.NFC)) {
            kinds.add("a decomposed character");
        }
        return kinds;
    }

    private static @Nullable String kind(int character) {
        if (Character.isISOControl(character)) {
            return "the control character U+%04X".formatted(character);
        }
        if (character < FIRST_BEYOND_ASCII) {
            return SPECIAL.indexOf(character) < 0
                    ? null
                    : "the character '%c'".formatted(character);
        }
        if (character == REPLACEMENT) {
            return "a replacement character";
        }
        return Character.isBmpCodePoint(character)
                ? "a character beyond ASCII"
                : "a character beyond U+FFFF";
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
                        "%s: the lake lists this key but has no such object, because it changes keys with %s. Rename such objects, or register another dataset that excludes them with --exclude PATTERN"
                                .formatted(what, kind),
                        e);
            }
            return false;
        }
    }
}
