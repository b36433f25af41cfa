package dev.forebay.chunkstore;

import java.io.IOException;

/** Reports a chunk file that does not contain what was written. It must never be served. */
final class DamagedChunkException extends IOException {

    DamagedChunkException(String message) {
        super(message);
    }
}
