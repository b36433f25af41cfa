package dev.forebay.transfer;

/**
 * Reports that a worker is overloaded: it refused with {@code Retry-After}, the time after which to
 * ask again.
 */
final class BusyException extends Exception {

    BusyException(String message) {
        super(message);
    }
}
