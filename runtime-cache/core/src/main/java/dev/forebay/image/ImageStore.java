package dev.forebay.image;

import dev.forebay.manifest.ManifestFile;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Stores images in a directory of bounded size. An image is written at the first request, one image
 * at a time, and concurrent requests share it. To free space, the store evicts the least recently
 * used images.
 *
 * <p>Images outlive the process. The names of their files contain their digests, and an image of an
 * earlier process is verified before its first use. Thread-safe. Only one store at a time may use
 * the directory.
 */
public final class ImageStore implements AutoCloseable {

    private static final String FILE = "[0-9a-f]{64}\\.[0-9a-f]{64}\\.erofs";
    private static final int DIGEST_LENGTH = 64;

    /** An open image, whose file may be deleted already. The caller must close it. */
    public record Use(FileChannel file, Digest digest) implements AutoCloseable {
        @Override
        public void close() throws IOException {
            file.close();
        }
    }

    private record Stored(Path file, Digest digest, long bytes) {}

    private final Path directory;
    private final long limitBytes;
    private final AtomicLong written = new AtomicLong();
    // A platform thread: writing an image takes a minute of CPU time, during which a virtual thread
    // would not yield.
    private final ExecutorService writer =
            Executors.newSingleThreadExecutor(
                    Thread.ofPlatform().daemon().name("image-writer").factory());
    // Unverified images, of earlier processes or distrusted, by their names. Guarded by this.
    private final Map<String, Stored> left = new HashMap<>();
    // In order of last use. Guarded by this.
    private final Map<String, CompletableFuture<Stored>> images =
            new LinkedHashMap<>(16, 0.75f, true);

    /**
     * Opens a store over a directory, including the images that earlier processes left.
     *
     * @param directory created if it does not exist; files in it that are not images are removed
     * @param limitBytes the maximum size of all images together
     */
    public ImageStore(Path directory, long limitBytes) {
        this.directory = directory;
        this.limitBytes = limitBytes;
        try {
            Files.createDirectories(directory);
            try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
                for (Path file : files) {
                    adopt(file);
                }
            }
        } catch (IOException e) {
            throw new ForebayException(ErrorCode.INTERNAL, "cannot use " + directory, e);
        }
    }

    private void adopt(Path file) throws IOException {
        String name = file.getFileName().toString();
        if (name.matches(FILE)) {
            Digest digest = new Digest(name.substring(0, DIGEST_LENGTH));
            left.put(name.substring(DIGEST_LENGTH + 1), new Stored(file, digest, Files.size(file)));
        } else {
            Files.delete(file);
        }
    }

    /**
     * Opens an image, and writes it if it does not exist. Blocks until the image is complete.
     *
     * @param manifest its local, verified manifest file, which must exist until this returns
     * @throws ForebayException {@code CAPACITY_EXCEEDED} if the image is larger than the limit, or
     *     as {@link ErofsImage#write}
     */
    public Use open(ImageName name, Path manifest) {
        while (true) {
            CompletableFuture<Stored> image;
            synchronized (this) {
                image =
                        images.computeIfAbsent(
                                name.fileName(),
                                _ ->
                                        CompletableFuture.supplyAsync(
                                                () -> provide(name, manifest), writer));
            }
            Use use = use(name, image);
            if (use != null) {
                return use;
            }
        }
    }

    /** Opens a stored image. Returns null if it was evicted meanwhile. */
    private @Nullable Use use(ImageName name, CompletableFuture<Stored> image) {
        try {
            Stored stored = image.join();
            synchronized (this) {
                if (images.get(name.fileName()) != image) {
                    return null;
                }
                return new Use(
                        FileChannel.open(stored.file(), StandardOpenOption.READ), stored.digest());
            }
        } catch (CompletionException e) {
            forget(name, image);
            throw e.getCause() instanceof ForebayException cause
                    ? new ForebayException(cause.code(), String.valueOf(cause.getMessage()), cause)
                    : e;
        } catch (IOException e) {
            forget(name, image);
            throw new ForebayException(ErrorCode.INTERNAL, "cannot open " + image.join().file(), e);
        }
    }

    /**
     * Lets the next caller try again after a failure, unless the image was too large. Writing it
     * again would delay all other images for minutes and fail again.
     */
    private synchronized void forget(ImageName name, CompletableFuture<Stored> image) {
        // A full disk has the same code, but also a cause. It may have space again later.
        boolean tooLarge =
                image.state() == Future.State.FAILED
                        && image.exceptionNow() instanceof ForebayException refused
                        && refused.code() == ErrorCode.CAPACITY_EXCEEDED
                        && refused.getCause() == null;
        if (!tooLarge) {
            images.remove(name.fileName(), image);
        }
    }

    private Stored provide(ImageName name, Path manifest) {
        Stored found;
        synchronized (this) {
            found = left.remove(name.fileName());
        }
        try {
            if (found != null) {
                if (ManifestFile.digestOf(found.file()).equals(found.digest())) {
                    return found;
                }
                Files.delete(found.file());
            }
            Path writing = directory.resolve("writing");
            ImageFile image = ErofsImage.write(manifest, name, writing);
            written.incrementAndGet();
            Path file = directory.resolve(image.digest().hex() + "." + name.fileName());
            Files.move(writing, file, StandardCopyOption.ATOMIC_MOVE);
            Stored stored = new Stored(file, image.digest(), image.bytes());
            makeRoomFor(stored);
            return stored;
        } catch (IOException e) {
            throw new ForebayException(
                    ErrorCode.INTERNAL, "cannot keep an image in " + directory, e);
        }
    }

    /** Evicts unverified images first, because no caller has used them in this process. */
    private synchronized void makeRoomFor(Stored image) throws IOException {
        if (image.bytes() > limitBytes) {
            Files.delete(image.file());
            throw new ForebayException(
                    ErrorCode.CAPACITY_EXCEEDED,
                    "no room for an image of %d bytes: %s may hold %d bytes"
                            .formatted(image.bytes(), directory, limitBytes));
        }
        long total = image.bytes();
        total += left.values().stream().mapToLong(Stored::bytes).sum();
        total +=
                images.values().stream().filter(ImageStore::here).mapToLong(ImageStore::size).sum();
        Iterator<Stored> unused = left.values().iterator();
        while (total > limitBytes && unused.hasNext()) {
            Stored victim = unused.next();
            Files.deleteIfExists(victim.file());
            total -= victim.bytes();
            unused.remove();
        }
        Iterator<CompletableFuture<Stored>> eldest = images.values().iterator();
        while (total > limitBytes && eldest.hasNext()) {
            CompletableFuture<Stored> victim = eldest.next();
            if (here(victim)) {
                Files.deleteIfExists(victim.join().file());
                total -= size(victim);
                eldest.remove();
            }
        }
    }

    /** Returns all verified images. */
    public synchronized Map<Digest, Path> copies() {
        Map<Digest, Path> copies = new HashMap<>();
        for (CompletableFuture<Stored> image : images.values()) {
            if (here(image)) {
                copies.put(image.join().digest(), image.join().file());
            }
        }
        return copies;
    }

    /**
     * Marks an image as unverified. The next caller that opens it verifies it, and writes it again
     * if it is damaged. Open images stay as they are.
     */
    public synchronized void distrust(Digest digest) {
        Iterator<Map.Entry<String, CompletableFuture<Stored>>> each = images.entrySet().iterator();
        while (each.hasNext()) {
            Map.Entry<String, CompletableFuture<Stored>> image = each.next();
            if (here(image.getValue()) && image.getValue().join().digest().equals(digest)) {
                left.put(image.getKey(), image.getValue().join());
                each.remove();
            }
        }
    }

    private static boolean here(CompletableFuture<Stored> image) {
        return image.state() == Future.State.SUCCESS;
    }

    private static long size(CompletableFuture<Stored> image) {
        return image.join().bytes();
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
