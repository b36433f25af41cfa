package dev.forebay.model;

import org.jspecify.annotations.Nullable;

/**
 * The one exception of Forebay's own making: a code for machines and a message that tells a person
 * what to do.
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
     * A failure after which nobody tries again by himself, whatever its code says elsewhere: that
     * has been done for as long as it was worth it.
     */
    public static ForebayException givenUp(
            ErrorCode code, String message, @Nullable Throwable cause) {
        return new ForebayException(code, false, message, cause);
    }

    /** The same failure, of which somebody knows more. */
    public ForebayException withMessage(String message) {
        return new ForebayException(code, retryable, message, this);
    }

    public ErrorCode code() {
        return code;
    }

    /**
     * Whether the same request may succeed later without anybody changing anything: as its code
     * says, unless it was {@linkplain #givenUp given up}.
     */
    public boolean retryable() {
        return retryable;
    }
}
