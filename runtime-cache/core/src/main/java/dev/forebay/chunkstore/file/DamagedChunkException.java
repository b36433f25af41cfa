package dev.forebay.chunkstore.file;

import java.io.IOException;

/** Reports a chunk file that does not contain what was written. It must never be served. */
public final class DamagedChunkException extends IOException {

    public DamagedChunkException(String message) {
        super(message);
    }
}
