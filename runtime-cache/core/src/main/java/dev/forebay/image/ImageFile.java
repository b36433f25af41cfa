package dev.forebay.image;

import dev.forebay.model.Digest;
import java.nio.file.Path;

/**
 * An image that was just written.
 *
 * @param digest SHA-256 of the file
 * @param bytes of the file, a multiple of 4 KiB
 * @param attributeBytes how many of these hold extended attributes, at the end of the file
 * @param nodes files and directories
 */
public record ImageFile(Path path, Digest digest, long bytes, long attributeBytes, long nodes) {}
