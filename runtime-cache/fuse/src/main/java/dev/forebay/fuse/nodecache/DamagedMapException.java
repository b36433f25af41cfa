package dev.forebay.fuse.nodecache;

import java.io.IOException;

/** A map file is damaged, so its pack is fetched again. */
final class DamagedMapException extends IOException {

    private static final long serialVersionUID = 1;

    DamagedMapException(String message) {
        super(message);
    }
}
