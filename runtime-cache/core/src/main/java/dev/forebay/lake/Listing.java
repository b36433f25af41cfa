package dev.forebay.lake;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What lies below a prefix, a page at a time, from any key on. Calls block. Safe for use by many
 * threads.
 *
 * <p>A listing takes time, and the lake may change meanwhile: an object that is there all the time
 * is listed, once, and as it was at some moment of it.
 */
@FunctionalInterface
public interface Listing {

    /** The most objects of a page: what S3 gives for one request. */
    int PAGE_OBJECTS = 1000;

    /**
     * The objects behind a key, in the order of the keys' UTF-8 bytes; costs one request.
     *
     * @param after a key, or any text that could be one; null begins at the first object
     * @param limit how many objects at most, 1 to {@link #PAGE_OBJECTS}; there may be fewer, even
     *     none, before the end
     * @throws dev.forebay.model.ForebayException with one of the {@code LAKE_*} codes; {@code
     *     LAKE_UNSUPPORTED} if the lake breaks a promise without which objects could be left out
     */
    Page page(@Nullable String after, int limit);

    /**
     * Looks whether the lake has an object that it listed, where it may have garbled the key; costs
     * a few requests for all of a listing.
     *
     * @throws dev.forebay.model.ForebayException with {@code INVALID_KEY} if it has not, or one of
     *     the {@code LAKE_*} codes
     */
    default void check(LakeObject object) {}

    /**
     * Some objects of a listing.
     *
     * @param objects in order
     * @param next what to go on after; null at the end
     */
    record Page(List<LakeObject> objects, @Nullable String next) {}
}
