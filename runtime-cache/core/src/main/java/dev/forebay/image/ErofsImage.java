package dev.forebay.image;

import dev.forebay.linux.ErrorNumber;
import dev.forebay.manifest.ManifestFile;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * Writes the image of a version: an EROFS file system without data, to be mounted with the packs of
 * {@link dev.forebay.manifest.Manifest#packs}, in their order, as its devices. A pack's file must
 * have all of the pack's bytes: behind the end of a shorter one some kernels show zeros.
 *
 * <p>However many objects there are, a few MiB of heap are enough. What must be kept until all
 * inodes are numbered is spilled to nameless files beside the image, about as large as the image.
 */
public final class ErofsImage {

    private ErofsImage() {}

    /**
     * Writes an image. The same arguments give the same bytes, everywhere.
     *
     * @param manifest a local, verified manifest file
     * @param name the version, and the digest of that file
     * @param target the file to be, {@link ImageName#fileName} as a rule; it appears when it is
     *     complete and on disk. Only one at a time may write it
     * @throws ForebayException with {@code TOO_LARGE} if there is a pack of 16 TiB or more, more
     *     than 65,535 packs, or more than some 130 million objects; {@code CORRUPT} if the manifest
     *     is damaged; {@code CAPACITY_EXCEEDED} if the disk is full; {@code INTERNAL} if it cannot
     *     be written for another reason
     */
    public static ImageFile write(Path manifest, ImageName name, Path target) {
        Path unfinished = target.resolveSibling(target.getFileName() + ".unfinished");
        try {
            try {
                ImageWriter.Parts parts = writeTo(unfinished, manifest, name);
                ImageFile file =
                        new ImageFile(
                                target,
                                ManifestFile.digestOf(unfinished),
                                parts.bytes(),
                                parts.attributeBytes(),
                                parts.nodes());
                Files.move(
                        unfinished,
                        target,
                        StandardCopyOption.ATOMIC_MOVE,
                        StandardCopyOption.REPLACE_EXISTING);
                return file;
            } finally {
                Files.deleteIfExists(unfinished);
            }
        } catch (IOException e) {
            throw failure(target, e);
        }
    }

    private static ImageWriter.Parts writeTo(Path file, Path manifest, ImageName name)
            throws IOException {
        try (FileChannel image =
                        FileChannel.open(
                                file,
                                StandardOpenOption.CREATE,
                                StandardOpenOption.TRUNCATE_EXISTING,
                                StandardOpenOption.WRITE);
                ImageWriter writer = new ImageWriter(image, file)) {
            ImageWriter.Parts parts = writer.write(manifest, name);
            image.force(true);
            return parts;
        }
    }

    private static ForebayException failure(Path target, IOException e) {
        return new ForebayException(
                ErrorNumber.isFullDisk(e) ? ErrorCode.CAPACITY_EXCEEDED : ErrorCode.INTERNAL,
                "cannot write image " + target + ": " + e.getMessage(),
                e);
    }
}
