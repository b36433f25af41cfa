package dev.forebay.tls;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/**
 * A fingerprint of a file that changes when the file is written or replaced.
 *
 * @param seen the file's identity, size and modification time, or that it does not exist
 */
record FileMark(String seen) {

    /** Returns the file's current fingerprint. Follows links. */
    static FileMark of(Path file) {
        try {
            BasicFileAttributes now = Files.readAttributes(file, BasicFileAttributes.class);
            return new FileMark(
                    "%s %d %s".formatted(now.fileKey(), now.size(), now.lastModifiedTime()));
        } catch (IOException e) {
            return new FileMark("not there");
        }
    }
}
