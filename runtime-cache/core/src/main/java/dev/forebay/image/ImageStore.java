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
 * Images in one directory of bounded size. Each is written when it is first asked for, once however
 * many ask, one after another; those not asked for the longest go when there is no room.
 *
 * <p>Images outlive the process, their digests in the names of their files; one that was found is
 * read in full before it is handed out. Safe for use by many threads; the directory belongs to one
 * store at a time.
 */
public final class ImageStore implements AutoCloseable {

    private static final String FILE = "[0-9a-f]{64}\\.[0-9a-f]{64}\\.erofs";
    private static final int DIGEST_LENGTH = 64;

    /** An image in use, of which the file may be gone already; close it when done. */
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
    // Of the platform: the work is a minute of computing, for which no virtual thread makes way.
    private final ExecutorService writer =
            Executors.newSingleThreadExecutor(
                    Thread.ofPlatform().daemon().name("image-writer").factory());
    // What earlier processes left, and what is doubted, by the names of images; guarded by this.
    private final Map<String, Stored> left = new HashMap<>();
    // In order of last use; guarded by this.
    private final Map<String, CompletableFuture<Stored>> images =
            new LinkedHashMap<>(16, 0.75f, true);

    /**
     * Takes over a directory with what earlier processes left in it.
     *
     * @param directory created if it is not there; what is not an image in it is removed
     * @param limitBytes what all images together may occupy
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
     * Opens an image, writing it if it is not here. Blocks, for as long as that takes.
     *
     * @param manifest its manifest, a local and verified file that stays until this returns
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

    /** Null if the image went to make room meanwhile. */
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
     * After a failure the next one to ask tries anew, unless the image was too large: to write it
     * once more would keep all others waiting for minutes, in vain.
     */
    private synchronized void forget(ImageName name, CompletableFuture<Stored> image) {
        // A full disk has the same code, and a cause: it may have room again.
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

    /** Of the others those go first that nobody asked for since the process began. */
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

    /** The images that are handed out without being compared again. */
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
     * Does not rely on an image any more: the next one to ask has it compared, and written anew if
     * it is damaged. Who has it open has it as it is.
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

    /** How many images were written. */
    public long written() {
        return written.get();
    }

    /** Gives up what is being written; images stay on the disk. */
    @Override
    public void close() {
        writer.shutdownNow();
    }
}
