package dev.forebay.model;

import java.util.Arrays;

/**
 * Every way in which Forebay refuses or fails, the single source for errno, HTTP status and
 * Temporal failure type.
 *
 * <p>Each edge has one mapper: {@code fuse} to errno, and its CSI driver to gRPC statuses, the REST
 * layers to HTTP problems, {@code activities} to Temporal failures (type = the name of the
 * constant). A code says what happened; the exception's message says to what.
 */
public enum ErrorCode {
    /** A field of a request breaks a rule; the message names the field, the value and the rule. */
    INVALID_ARGUMENT(Category.REFUSED, false),
    /** A dataset, version, pin, pack or path that does not exist. */
    NOT_FOUND(Category.MISSING, false),
    /**
     * The name is taken by something different, or an idempotency key was reused for another
     * request.
     */
    ALREADY_EXISTS(Category.CONFLICT, false),
    /** Eviction of a version that somebody still holds. */
    PINNED(Category.CONFLICT, false),
    /** A pin on a version that is just being evicted, or a read of one that was. */
    EVICTING(Category.CONFLICT, true),
    /** The caller named a region that this installation does not have. */
    UNKNOWN_REGION(Category.REFUSED, false),
    /** The lake's bucket or prefix holds nothing, or does not exist. */
    LAKE_EMPTY(Category.REFUSED, false),
    /** A lake key that cannot be a POSIX path. */
    INVALID_KEY(Category.REFUSED, false),
    /** An object is not any more what the manifest says: overwritten or deleted after ingest. */
    LAKE_OBJECT_CHANGED(Category.LOST, false),
    /** The lake refuses our credentials, or to give an object: archived, or encrypted by a key. */
    LAKE_DENIED(Category.DENIED, false),
    /** The lake answers with errors, throttles, truncates or does not answer. */
    LAKE_UNAVAILABLE(Category.UNAVAILABLE, true),
    /**
     * The lake breaks a promise of S3, as if it lists keys in no order, or knows no such request.
     */
    LAKE_UNSUPPORTED(Category.REFUSED, false),
    /** Bytes do not have the checksum they should have. Refetching may mend it. */
    CORRUPT(Category.LOST, true),
    /** The chunk store is full of bytes that must not be evicted, or its disk is full. */
    CAPACITY_EXCEEDED(Category.FULL, true),
    /** A version larger than all the chunk stores of a region together: it can never fit. */
    TOO_LARGE(Category.FULL, false),
    /** The namespace has spent its budget: what nobody waits for waits. */
    BUDGET_SPENT(Category.FULL, true),
    /** Somebody took the request back, or gave up what it was about. */
    CANCELLED(Category.CONFLICT, false),
    /** A worker, etcd or another part of Forebay does not answer. */
    UNAVAILABLE(Category.UNAVAILABLE, true),
    /** What was asked for was not there by the caller's own deadline; the work goes on. */
    DEADLINE_EXCEEDED(Category.UNAVAILABLE, true),
    /** The caller asked for an action the caller may not do. */
    DENIED(Category.DENIED, false),
    /** A defect in Forebay. */
    INTERNAL(Category.INTERNAL, true);

    /** Returns the code with this name; {@link #INTERNAL} for a code of a later release. */
    public static ErrorCode named(String name) {
        return Arrays.stream(values())
                .filter(code -> code.name().equals(name))
                .findFirst()
                .orElse(INTERNAL);
    }

    /** What kind of answer a caller can give to an error. */
    public enum Category {
        REFUSED,
        MISSING,
        CONFLICT,
        DENIED,
        LOST,
        FULL,
        UNAVAILABLE,
        INTERNAL
    }

    private final Category category;
    private final boolean retryable;

    ErrorCode(Category category, boolean retryable) {
        this.category = category;
        this.retryable = retryable;
    }

    public Category category() {
        return category;
    }

    /**
     * Whether a read of the lake that fails so may say something of its object alone: those beside
     * it are worth asking for.
     */
    public boolean mayBeOfOneObject() {
        return this == LAKE_OBJECT_CHANGED || this == LAKE_DENIED;
    }

    /** Whether the same request may succeed later without anybody changing anything. */
    public boolean retryable() {
        return retryable;
    }
}
