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
 * The images of mounted versions, in a directory, as {@code <SHA-256>.<name>}: what an earlier
 * process left is compared with its digest before it is used. Each has a second name, by which it
 * is mounted over packs on the node's disk: so that mounts tell what they are. What they take
 * together is bounded. For one thread at a time; other processes have their turns before and after.
 */
public final class Images {

    private static final String UNFINISHED = "unfinished";

    /** Whatever has not grown for so long nobody fetches any more. */
    private static final Duration LONGEST_FETCH = Duration.ofHours(1);

    private static final Logger LOG = LoggerFactory.getLogger(Images.class);
    private static final String NATIVE = "native";
    private static final String FILE = "[0-9a-f]{64}\\.[0-9a-f]{64}\\.erofs";
    private static final int DIGEST_LENGTH = 64;

    private final Path directory;
    private final long most;
    private final ImageSource source;

    /** The files that this process has fetched or compared, by the names of images. */
    private final Map<String, Path> right = new ConcurrentHashMap<>();

    /**
     * On a broken disk none can be had.
     *
     * @param directory made if it is not there
     * @param most when images take so many bytes together no other one is fetched
     */
    public Images(Path directory, long most, ImageSource source) {
        this.most = most;
        this.source = source;
        this.directory = made(directory);
    }

    private static Path made(Path directory) {
        try {
            Files.createDirectories(directory.resolve(NATIVE));
            // As the kernel says it of a loop device's file.
            return directory.toRealPath();
        } catch (IOException e) {
            if (ErrorNumber.isBrokenDisk(e)) {
                LOG.error("Versions are shown file by file: cannot make {}", directory, e);
                return directory.toAbsolutePath().normalize();
            }
            throw new ForebayException(ErrorCode.INTERNAL, "cannot make " + directory, e);
        }
    }

    /** The name of a version's image: another manifest or another version has another one. */
    static String name(Mount mount) {
        return new ImageName(mount.version(), mount.manifest().digest()).fileName();
    }

    /** The name of the image in a file, of whatever process. */
    static String name(Path image) {
        String file = String.valueOf(image.getFileName());
        return file.matches(FILE) ? file.substring(DIGEST_LENGTH + 1) : file;
    }

    /** By which name an image was mounted, by whatever process. */
    static View view(Path image) {
        Path parent = image.getParent();
        return parent != null && parent.endsWith(NATIVE) ? View.NATIVE : View.ON_DEMAND;
    }

    /** Whether this process, or one that had the directory before, has mounted it. */
    boolean isOurs(Path image) {
        return image.startsWith(directory);
    }

    /**
     * Compares what an earlier process left of a version's image with its digest, the first time
     * that this is asked. Takes seconds for an image of gigabytes.
     *
     * @return whether nothing wrong was there; what was, is removed if it can be
     * @throws ForebayException if it cannot be said what is there
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

    /** One that stays is not relied on either, and what it shows must not stay. */
    private void tryToRemove(Path image) {
        try {
            remove(image, "it is not what was fetched");
        } catch (ForebayException e) {
            LOG.warn("{}", e.getMessage(), e);
        }
    }

    /** The images that are relied on, in a map of the caller's. Safe for use by any thread. */
    Map<Digest, Path> relied() {
        Map<Digest, Path> images = new HashMap<>();
        right.values().forEach(image -> images.put(digest(image), image));
        return images;
    }

    /** Does not rely on an image any more: {@link #check} has to compare it. */
    void distrust(Digest image) {
        right.values().removeIf(file -> digest(file).equals(image));
    }

    /** What the digest of one of ours was when it came. */
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
     * The image of a version, fetched if {@link #check} has found none.
     *
     * @throws ForebayException if it cannot be had
     */
    Path of(Mount mount, View view) {
        Path image = right.get(name(mount));
        if (image == null || !Files.exists(image)) {
            image = fetch(mount);
            right.put(name(mount), image);
        }
        return view == View.NATIVE ? secondName(image) : image;
    }

    /** Is not synced: what a power failure leaves of it is compared like all that was left. */
    private Path fetch(Mount mount) {
        requireRoom();
        try {
            // Another process may fetch one, too, while this one is just being replaced.
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
                    ErrorCode.INTERNAL, "cannot keep an image in " + directory, e);
        }
    }

    /** Something that is being fetched, or was when its process was killed. */
    private static boolean isUnfinished(Path file) {
        return file.getFileName().toString().startsWith(UNFINISHED);
    }

    /** Of a process that was killed while it fetched it. */
    private static boolean isLeft(Path file) {
        // 0 if another process has finished it meanwhile: then there is nothing to remove.
        long changed = file.toFile().lastModified();
        return isUnfinished(file) && changed < Instant.now().minus(LONGEST_FETCH).toEpochMilli();
    }

    private void requireRoom() {
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
                    "the images of other versions take %d bytes, --image-cache is %d"
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
     * Removes the image of a version, to be fetched again.
     *
     * @param why for the log
     * @throws ForebayException if it stays
     */
    void remove(Mount mount, String why) {
        Path image = right.remove(name(mount));
        if (image != null) {
            remove(image, why);
        }
    }

    private void remove(Path image, String why) {
        LOG.warn("{} is removed: {}", image, why);
        try {
            Files.deleteIfExists(nativeName(image));
            Files.deleteIfExists(image);
        } catch (IOException e) {
            throw new ForebayException(ErrorCode.INTERNAL, "cannot remove " + image, e);
        }
    }

    /**
     * Removes all images but these; those that are still mounted stay readable, and what another
     * process is fetching is left to it.
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
                LOG.warn("Images of versions that are gone stay in {}: {}", each, e.toString());
            }
        }
    }
}
