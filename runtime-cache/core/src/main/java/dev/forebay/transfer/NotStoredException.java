package dev.forebay.transfer;

import java.io.IOException;

/**
 * Reports that received bytes could not be stored. The fault is in this machine, not in the worker
 * that sent them.
 */
final class NotStoredException extends IOException {

    NotStoredException(IOException cause) {
        super(cause);
    }
}
