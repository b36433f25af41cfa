package dev.forebay.lake;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The objects below a prefix, in pages that can start after any key. Calls block. Thread-safe.
 *
 * <p>The lake may change during a listing. An object that exists all the time is listed once, as it
 * was at some moment of the listing.
 */
@FunctionalInterface
public interface Listing {

    /** The most objects of a page, which is the most that S3 returns for one request. */
    int PAGE_OBJECTS = 1000;

    /**
     * Returns the objects after a key, in the order of the keys' UTF-8 bytes. Costs one request.
     *
     * @param after a key, or any text that could be one; null begins at the first object
     * @param limit how many objects at most, 1 to {@link #PAGE_OBJECTS}. A page before the end may
     *     have fewer, even none
     * @throws dev.forebay.model.ForebayException with one of the {@code LAKE_*} codes; {@code
     *     LAKE_UNSUPPORTED} if the lake breaks a promise and objects could be missing
     */
    Page page(@Nullable String after, int limit);

    /**
     * Checks that a listed object exists, if the lake may have garbled its key in the listing.
     * Costs a few requests for a whole listing.
     *
     * @throws dev.forebay.model.ForebayException with {@code INVALID_KEY} if it does not exist, or
     *     with one of the {@code LAKE_*} codes
     */
    default void check(LakeObject object) {}

    /**
     * A page of a listing.
     *
     * @param objects in order
     * @param next where the next page starts; null at the end
     */
    record Page(List<LakeObject> objects, @Nullable String next) {}
}
