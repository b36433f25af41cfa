package dev.forebay.transfer;

import java.io.IOException;

/** Reports an answer that ended early: its worker died, or could not read further. */
final class BrokenOffException extends IOException {

    BrokenOffException(String message, IOException cause) {
        super(message, cause);
    }
}
