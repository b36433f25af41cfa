package dev.forebay.image;

import dev.forebay.model.Digest;
import java.nio.file.Path;

/**
 * An image that was just written.
 *
 * @param digest SHA-256 of the file
 * @param bytes the size of the file, a multiple of 4 KiB
 * @param attributeBytes how many bytes at the end of the file hold extended attributes
 * @param nodes the number of files and directories
 */
public record ImageFile(Path path, Digest digest, long bytes, long attributeBytes, long nodes) {}
