package dev.forebay.chunkstore;

import java.io.IOException;

/** A chunk file that is not what was written. Serving it is out of the question. */
final class DamagedChunkException extends IOException {

    DamagedChunkException(String message) {
        super(message);
    }
}
