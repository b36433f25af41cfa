package dev.forebay.transfer;

import java.io.IOException;

/** An answer of which only a part came: its worker died, or could not read on. */
final class BrokenOffException extends IOException {

    BrokenOffException(String message, IOException cause) {
        super(message, cause);
    }
}
