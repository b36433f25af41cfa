package dev.forebay.transfer;

import java.io.IOException;

/** What came could not be stored: the fault of this machine, not of the worker that sent it. */
final class NotStoredException extends IOException {

    NotStoredException(IOException cause) {
        super(cause);
    }
}
