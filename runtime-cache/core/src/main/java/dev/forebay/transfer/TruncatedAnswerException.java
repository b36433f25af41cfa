package dev.forebay.transfer;

import java.io.IOException;

/** Reports an answer that ended early: its worker died, or could not read further. */
final class TruncatedAnswerException extends IOException {

    TruncatedAnswerException(String message, IOException cause) {
        super(message, cause);
    }
}
