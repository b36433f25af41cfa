package dev.forebay.model;

import org.jspecify.annotations.Nullable;

/**
 * The only exception type that Forebay defines. It has a code for machines and a message that tells
 * a person what to do.
 */
public final class ForebayException extends RuntimeException {

    private final ErrorCode code;
    private final boolean retryable;

    public ForebayException(ErrorCode code, String message) {
        this(code, message, null);
    }

    public ForebayException(ErrorCode code, String message, @Nullable Throwable cause) {
        this(code, code.retryable(), message, cause);
    }

    private ForebayException(
            ErrorCode code, boolean retryable, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.code = code;
        this.retryable = retryable;
    }

    /**
     * Returns a failure that callers must not retry, even if its code is retryable elsewhere. The
     * code that throws it has already retried for as long as was useful.
     */
    public static ForebayException givenUp(
            ErrorCode code, String message, @Nullable Throwable cause) {
        return new ForebayException(code, false, message, cause);
    }

    /** Returns the same failure with a more specific message. */
    public ForebayException withMessage(String message) {
        return new ForebayException(code, retryable, message, this);
    }

    public ErrorCode code() {
        return code;
    }

    /**
     * Returns whether the same request may succeed later without any change by a person. The code
     * decides, unless the failure was {@linkplain #givenUp given up}.
     */
    public boolean retryable() {
        return retryable;
    }
}
