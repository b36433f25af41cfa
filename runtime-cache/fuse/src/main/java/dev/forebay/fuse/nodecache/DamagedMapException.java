package dev.forebay.fuse.nodecache;

import java.io.IOException;

/** Reports a damaged map file. Its pack is then fetched again. */
final class DamagedMapException extends IOException {

    private static final long serialVersionUID = 1;

    DamagedMapException(String message) {
        super(message);
    }
}
