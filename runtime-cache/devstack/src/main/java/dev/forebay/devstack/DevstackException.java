package dev.forebay.devstack;

/**
 * Something on this machine kept the devstack from doing what it was asked. The message is meant
 * for the person at the terminal: what happened, and what to do about it.
 */
public final class DevstackException extends RuntimeException {
    public DevstackException(String message) {
        super(message);
    }

    public DevstackException(String message, Throwable cause) {
        super(message, cause);
    }
}
