package dev.forebay.transfer;

/** A refusal that says when to ask again ({@code Retry-After}): there is too much to do already. */
final class BusyException extends Exception {

    BusyException(String message) {
        super(message);
    }
}
