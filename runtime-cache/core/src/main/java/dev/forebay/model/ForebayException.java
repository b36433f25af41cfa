package dev.forebay.model;

import org.jspecify.annotations.Nullable;

/**
 * The one exception of Forebay's own making: a code for machines and a message that tells a person
 * what to do.
 */
public final class ForebayException extends RuntimeException {

    private final ErrorCode code;

    public ForebayException(ErrorCode code, String message) {
        this(code, message, null);
    }

    public ForebayException(ErrorCode code, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.code = code;
    }

    public ErrorCode code() {
        return code;
    }
}
