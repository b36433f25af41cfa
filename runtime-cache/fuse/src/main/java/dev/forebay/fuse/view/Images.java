package dev.forebay.fuse.view;

import dev.forebay.image.ImageName;
import dev.forebay.linux.ErrorNumber;
import dev.forebay.manifest.ManifestFile;
import dev.forebay.membership.Mount;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the images of mounted versions in a directory, in files named {@code <SHA-256>.<name>}.
 * Images from an earlier process are verified before use. Each image has a second name (a hard
 * link), under which it is mounted over packs on the node's disk. The name in the mount table thus
 * shows the view. The total size is limited. Not thread-safe; other processes may use the directory
 * before and after this one.
 */
public final class Images {

    private static final String UNFINISHED = "unfinished";

    /** An unfinished file that has not grown for this time belongs to a dead process. */
    private static final Duration LONGEST_FETCH = Duration.ofHours(1);

    private static final Logger LOG = LoggerFactory.getLogger(Images.class);
    private static final String NATIVE = "native";
    private static final String FILE = "[0-9a-f]{64}\\.[0-9a-f]{64}\\.erofs";
    private static final int DIGEST_LENGTH = 64;

    private final Path directory;
    private final long most;
    private final ImageSource source;

    /** The files that this process has fetched or verified, by image name. */
    private final Map<String, Path> right = new ConcurrentHashMap<>();

    /**
     * Opens the directory. If the disk is broken, no image is available.
     *
     * @param directory created if it does not exist
     * @param most the total size in bytes at which no more images are fetched
     */
    public Images(Path directory, long most, ImageSource source) {
        this.most = most;
        this.source = source;
        this.directory = made(directory);
    }

    private static Path made(Path directory) {
        try {
            Files.createDirectories(directory.resolve(NATIVE));
            // The kernel reports the real path as the file of a loop device.
            return directory.toRealPath();
        } catch (IOException e) {
            if (ErrorNumber.isBrokenDisk(e)) {
                LOG.error(
                        "Showing versions file by file, because directory {} cannot be created",
                        directory,
                        e);
                return directory.toAbsolutePath().normalize();
            }
            throw new ForebayException(ErrorCode.INTERNAL, "cannot make " + directory, e);
        }
    }

    /** Returns the name of a version's image, which is specific to version and manifest. */
    static String name(Mount mount) {
        return new ImageName(mount.version(), mount.manifest().digest()).fileName();
    }

    /** Returns the name of the image in a file, from any process. */
    static String name(Path image) {
        String file = String.valueOf(image.getFileName());
        return file.matches(FILE) ? file.substring(DIGEST_LENGTH + 1) : file;
    }

    /** Returns the view for which an image was mounted, by any process. */
    static View view(Path image) {
        Path parent = image.getParent();
        return parent != null && parent.endsWith(NATIVE) ? View.NATIVE : View.ON_DEMAND;
    }

    /**
     * Returns whether an image was mounted by this process, or by one that used the directory
     * before.
     */
    boolean isOurs(Path image) {
        return image.startsWith(directory);
    }

    /**
     * Verifies the images of a version that an earlier process left, on the first call. Takes
     * seconds for an image of gigabytes.
     *
     * @return whether no damaged image was found; damaged ones are removed if possible
     * @throws ForebayException if the directory cannot be listed
     */
    boolean check(Mount mount) {
        String name = name(mount);
        boolean nothingWrong = true;
        if (!right.containsKey(name)) {
            for (Path image : files(name)) {
                if (isRight(image)) {
                    right.put(name, image);
                } else {
                    nothingWrong = false;
                    tryToRemove(image);
                }
            }
        }
        return nothingWrong;
    }

    /**
     * Tries to remove a damaged image. If it stays, it is not used either, and its views must be
     * detached.
     */
    private void tryToRemove(Path image) {
        try {
            remove(image, "it differs from the fetched image");
        } catch (ForebayException e) {
            LOG.warn("{}", e.getMessage(), e);
        }
    }

    /** Returns the verified images, in a map that the caller owns. Thread-safe. */
    Map<Digest, Path> relied() {
        Map<Digest, Path> images = new HashMap<>();
        right.values().forEach(image -> images.put(digest(image), image));
        return images;
    }

    /** Marks an image as unverified, so that {@link #check} verifies it again. */
    void distrust(Digest image) {
        right.values().removeIf(file -> digest(file).equals(image));
    }

    /** Returns the digest in the name of an image: that of the fetched bytes. */
    static Digest digest(Path image) {
        return new Digest(image.getFileName().toString().substring(0, DIGEST_LENGTH));
    }

    private List<Path> files(String name) {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.getFileName().toString().matches(FILE))
                    .filter(file -> name(file).equals(name))
                    .toList();
        } catch (IOException e) {
            throw new ForebayException(ErrorCode.INTERNAL, "cannot list " + directory, e);
        }
    }

    private static boolean isRight(Path image) {
        try {
            return ManifestFile.digestOf(image).equals(digest(image));
        } catch (ForebayException e) {
            LOG.warn("{}", e.getMessage(), e);
            return false;
        }
    }

    /**
     * Returns the image of a version, and fetches it if {@link #check} has found none.
     *
     * @throws ForebayException if the image is unavailable
     */
    Path of(Mount mount, View view) {
        Path image = right.get(name(mount));
        if (image == null || !Files.exists(image)) {
            image = fetch(mount);
            right.put(name(mount), image);
        }
        return view == View.NATIVE ? secondName(image) : image;
    }

    /**
     * Fetches an image. It is not synced: the next process verifies what a power failure leaves.
     */
    private Path fetch(Mount mount) {
        requireSpace();
        try {
            // A process that is being replaced may fetch the same image, so temporary names are
            // unique.
            Path unfinished = Files.createTempFile(directory, UNFINISHED, null);
            try {
                Digest digest = source.fetch(mount, unfinished);
                Path image = directory.resolve(digest.hex() + "." + name(mount));
                return Files.move(unfinished, image, StandardCopyOption.ATOMIC_MOVE);
            } finally {
                Files.deleteIfExists(unfinished);
            }
        } catch (IOException e) {
            throw new ForebayException(
                    ErrorCode.INTERNAL,
                    "cannot store an image in %s (%s): check its free space, and its permissions"
                            .formatted(directory, e),
                    e);
        }
    }

    /** Returns whether a file is being fetched, or was when its process was killed. */
    private static boolean isUnfinished(Path file) {
        return file.getFileName().toString().startsWith(UNFINISHED);
    }

    /** Returns whether a file was left unfinished by a process that was killed. */
    private static boolean isLeft(Path file) {
        // 0 if another process has finished it meanwhile: then there is nothing to remove.
        long changed = file.toFile().lastModified();
        return isUnfinished(file) && changed < Instant.now().minus(LONGEST_FETCH).toEpochMilli();
    }

    private void requireSpace() {
        long taken = 0;
        try (DirectoryStream<Path> files =
                Files.newDirectoryStream(directory, Files::isRegularFile)) {
            for (Path file : files) {
                if (isLeft(file)) {
                    Files.deleteIfExists(file);
                } else {
                    taken += file.toFile().length();
                }
            }
        } catch (IOException e) {
            throw new ForebayException(ErrorCode.INTERNAL, "cannot list " + directory, e);
        }
        if (taken >= most) {
            throw new ForebayException(
                    ErrorCode.CAPACITY_EXCEEDED,
                    "images of other versions use %d of the %d bytes of --image-cache: raise it"
                            .formatted(taken, most));
        }
    }

    private Path secondName(Path image) {
        Path second = nativeName(image);
        try {
            if (Files.exists(second) && Files.isSameFile(second, image)) {
                return second;
            }
            Files.deleteIfExists(second);
            return Files.createLink(second, image);
        } catch (IOException e) {
            throw new ForebayException(ErrorCode.INTERNAL, "cannot make " + second, e);
        }
    }

    private Path nativeName(Path image) {
        return directory.resolve(NATIVE).resolve(image.getFileName());
    }

    /**
     * Removes the image of a version so that it is fetched again.
     *
     * @param why the reason to log
     * @throws ForebayException if it cannot be removed
     */
    void remove(Mount mount, String why) {
        Path image = right.remove(name(mount));
        if (image != null) {
            remove(image, why);
        }
    }

    private void remove(Path image, String why) {
        LOG.warn("Removing {}: {}", image, why);
        try {
            Files.deleteIfExists(nativeName(image));
            Files.deleteIfExists(image);
        } catch (IOException e) {
            throw new ForebayException(ErrorCode.INTERNAL, "cannot remove " + image, e);
        }
    }

    /**
     * Removes all other images. Images that are still mounted stay readable, and files that another
     * process is fetching stay.
     */
    void keep(Set<String> names) {
        right.keySet().retainAll(names);
        for (Path each : List.of(directory, directory.resolve(NATIVE))) {
            try (DirectoryStream<Path> files =
                    Files.newDirectoryStream(each, Files::isRegularFile)) {
                for (Path file : files) {
                    if (isUnfinished(file) ? isLeft(file) : !names.contains(name(file))) {
                        Files.deleteIfExists(file);
                    }
                }
            } catch (IOException e) {
                LOG.warn("Cannot remove images of evicted versions in {}: {}", each, e.toString());
            }
        }
    }
}
