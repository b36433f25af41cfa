package dev.forebay.transfer;

import java.io.IOException;

/** Reports an answer that breaks the protocol. */
final class MisbehavedException extends IOException {

    MisbehavedException(String message) {
        super(message);
    }
}
