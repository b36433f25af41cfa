package dev.forebay.model;

import java.util.Arrays;

/**
 * Every error that Forebay reports. It is the single source for errno, HTTP status and Temporal
 * failure type.
 *
 * <p>Each edge has one mapper: {@code fuse} to errno, its CSI driver to gRPC statuses, the REST
 * layers to HTTP problems, and {@code activities} to Temporal failures. The type of a Temporal
 * failure is the name of the constant. The code says what kind of failure it is. The exception's
 * message says which object failed.
 */
public enum ErrorCode {
    /** A field of a request breaks a rule. The message names the field, the value and the rule. */
    INVALID_ARGUMENT(Category.REFUSED, false),
    /** The dataset, version, pin, pack or path does not exist. */
    NOT_FOUND(Category.MISSING, false),
    /**
     * The name belongs to something different, or the idempotency key was used for another request.
     */
    ALREADY_EXISTS(Category.CONFLICT, false),
    /** The version cannot be evicted because it is pinned. */
    PINNED(Category.CONFLICT, false),
    /** A client pins a version that is being evicted, or reads a version that was evicted. */
    EVICTING(Category.CONFLICT, true),
    /** The caller named a region that this installation does not have. */
    UNKNOWN_REGION(Category.REFUSED, false),
    /** The lake's bucket or prefix holds nothing, or does not exist. */
    LAKE_EMPTY(Category.REFUSED, false),
    /** A lake key that cannot be a POSIX path. */
    INVALID_KEY(Category.REFUSED, false),
    /** An object differs from the manifest: it was overwritten or deleted after ingest. */
    LAKE_OBJECT_CHANGED(Category.LOST, false),
    /**
     * The lake refuses Forebay's credentials, or it refuses an object that is archived or encrypted
     * with a key that Forebay may not use.
     */
    LAKE_DENIED(Category.DENIED, false),
    /** The lake returns errors, throttles, returns truncated answers or does not answer. */
    LAKE_UNAVAILABLE(Category.UNAVAILABLE, true),
    /**
     * The lake does not behave like S3. It lists keys out of order, for example, or does not
     * support a request.
     */
    LAKE_UNSUPPORTED(Category.REFUSED, false),
    /** Bytes do not match their checksum. Fetching them again may repair them. */
    CORRUPT(Category.LOST, true),
    /** The chunk store is full of bytes that must not be evicted, or its disk is full. */
    CAPACITY_EXCEEDED(Category.FULL, true),
    /** The version is larger than all chunk stores of the region together, so it can never fit. */
    TOO_LARGE(Category.FULL, false),
    /** The namespace has spent its budget. Only fills that no client waits for are delayed. */
    BUDGET_SPENT(Category.FULL, true),
    /** A client withdrew the request, or ended the work that the request waits for. */
    CANCELLED(Category.CONFLICT, false),
    /** A worker, etcd or another part of Forebay does not answer. */
    UNAVAILABLE(Category.UNAVAILABLE, true),
    /** The work was not complete by the caller's own deadline. It continues. */
    DEADLINE_EXCEEDED(Category.UNAVAILABLE, true),
    /** The caller may not perform this action. */
    DENIED(Category.DENIED, false),
    /** A defect in Forebay. */
    INTERNAL(Category.INTERNAL, true);

    /** Returns the code with this name, or {@link #INTERNAL} for a code of a later release. */
    public static ErrorCode named(String name) {
        return Arrays.stream(values())
                .filter(code -> code.name().equals(name))
                .findFirst()
                .orElse(INTERNAL);
    }

    /** The kind of error, which a mapper turns into the kind of answer. */
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
     * Returns whether a failed read of the lake with this code may concern only the requested
     * object. Reads of other objects can then still succeed.
     */
    public boolean mayBeOfOneObject() {
        return this == LAKE_OBJECT_CHANGED || this == LAKE_DENIED;
    }

    /** Returns whether the same request may succeed later without any change by a person. */
    public boolean retryable() {
        return retryable;
    }
}
