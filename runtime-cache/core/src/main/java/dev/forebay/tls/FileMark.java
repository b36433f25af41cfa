package dev.forebay.tls;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/**
 * What tells that a file was written or replaced: compare two of them.
 *
 * @param seen its identity, size and time of change; or that it is not there
 */
record FileMark(String seen) {

    /** As the file is now, behind links. */
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
