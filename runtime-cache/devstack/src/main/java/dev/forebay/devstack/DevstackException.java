package dev.forebay.devstack;

/**
 * The devstack cannot do what the user asked. The message tells the person at the terminal what
 * happened and what to do.
 */
public final class DevstackException extends RuntimeException {
    public DevstackException(String message) {
        super(message);
    }

    public DevstackException(String message, Throwable cause) {
        super(message, cause);
    }
}
