package dev.forebay.image;

import dev.forebay.manifest.ManifestFile;
import dev.forebay.manifest.cache.FileCache;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Stores images in a {@link FileCache}. An image is written at the first request, one image at a
 * time, and concurrent requests share it. Images outlive the process. Thread-safe. Only one store
 * at a time may use the directory.
 */
public final class ImageStore implements AutoCloseable {

    /** An open image, whose file may be deleted already. The caller must close it. */
    public record Use(FileChannel file, Digest digest) implements AutoCloseable {
        @Override
        public void close() throws IOException {
            file.close();
        }
    }

    private final Consumer<Digest> damagedManifest;
    private final AtomicLong written = new AtomicLong();
    // A platform thread: writing an image takes a minute of CPU time, during which a virtual thread
    // would not yield.
    private final ExecutorService writer =
            Executors.newSingleThreadExecutor(
                    Thread.ofPlatform().daemon().name("image-writer").factory());
    private final FileCache files;

    /**
     * Opens a store over a directory, including the images that earlier processes left.
     *
     * @param directory created if it does not exist; unfinished images in it are removed
     * @param limitBytes the maximum size of all images together
     * @param damagedManifest receives the digest of each manifest that turns out to be damaged
     */
    public ImageStore(Path directory, long limitBytes, Consumer<Digest> damagedManifest) {
        this.files = new FileCache(directory, "erofs", limitBytes, writer);
        this.damagedManifest = damagedManifest;
    }

    /**
     * Opens an image, and writes it if it does not exist. Blocks until the image is complete.
     *
     * @param manifest its local, verified manifest file, which must exist until this returns
     * @throws ForebayException {@code CAPACITY_EXCEEDED} if the image is larger than the limit, or
     *     as {@link ErofsImage#write}
     */
    public Use open(ImageName name, Path manifest) {
        try (FileCache.Use image =
                files.open(name.hash(), target -> write(name, manifest, target))) {
            return new Use(FileChannel.open(image.file(), StandardOpenOption.READ), image.digest());
        } catch (IOException e) {
            throw new ForebayException(ErrorCode.INTERNAL, "cannot open an image", e);
        }
    }

    /**
     * Writes an image. Scans of a manifest compare no checksums, and its disk may have damaged it
     * since it was verified, so it is verified again afterwards.
     */
    private Digest write(ImageName name, Path manifest, Path target) {
        try {
            Digest digest = ErofsImage.write(manifest, name, target).digest();
            if (!ManifestFile.digestOf(manifest).equals(name.manifest())) {
                throw new ForebayException(
                        ErrorCode.CORRUPT,
                        "%s has other bytes than manifest %s".formatted(manifest, name.manifest()));
            }
            written.incrementAndGet();
            return digest;
        } catch (ForebayException e) {
            if (e.code() == ErrorCode.CORRUPT) {
                damagedManifest.accept(name.manifest());
            }
            throw e;
        }
    }

    /** Returns all verified images. */
    public Map<Digest, Path> copies() {
        return files.copies();
    }

    /**
     * Marks an image as unverified. The next caller that opens it verifies it, and writes it again
     * if it is damaged. Open images stay as they are.
     */
    public void distrust(Digest digest) {
        files.distrust(digest);
    }

    /** Returns how many images were written. */
    public long written() {
        return written.get();
    }

    /** Stops writing. Complete images stay on the disk. */
    @Override
    public void close() {
        writer.shutdownNow();
    }
}
