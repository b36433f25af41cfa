package dev.forebay.fuse.nodecache;

import java.io.IOException;

/** A map file that cannot be believed: its pack is fetched anew. */
final class DamagedMapException extends IOException {

    private static final long serialVersionUID = 1;

    DamagedMapException(String message) {
        super(message);
    }
}
