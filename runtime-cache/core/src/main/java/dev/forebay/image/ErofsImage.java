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
 * Writes the image of a version: an EROFS file system without data. The mount uses the packs of
 * {@link dev.forebay.manifest.Manifest#packs} as its devices, in their order. Each pack's file must
 * have the full size of the pack, because some kernels show zeros after the end of a shorter one.
 *
 * <p>A few MiB of heap suffice for any number of objects. Data that is needed until all inodes have
 * numbers goes to unnamed files beside the image. They take about as much space as the image.
 */
public final class ErofsImage {

    private ErofsImage() {}

    /**
     * Writes an image. The same arguments always give the same bytes.
     *
     * @param manifest a local, verified manifest file
     * @param name the version, and the digest of the manifest
     * @param target the file to write, usually {@link ImageName#fileName}. It appears only when it
     *     is complete and on disk. Only one writer at a time may write it
     * @throws ForebayException with {@code TOO_LARGE} if there is a pack of 16 TiB or more, more
     *     than 65,535 packs, or more than about 130 million objects; {@code CORRUPT} if the
     *     manifest is damaged; {@code CAPACITY_EXCEEDED} if the disk is full; {@code INTERNAL} if
     *     writing fails for another reason
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
