package dev.forebay.transfer;

import java.io.IOException;

/** Reports an answer that breaks the protocol. */
final class ProtocolViolationException extends IOException {

    ProtocolViolationException(String message) {
        super(message);
    }
}
