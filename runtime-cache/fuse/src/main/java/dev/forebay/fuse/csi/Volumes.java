package dev.forebay.fuse.csi;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.forebay.fuse.linux.DetachedMount;
import dev.forebay.fuse.linux.MountCalls;
import dev.forebay.fuse.linux.MountTable;
import dev.forebay.fuse.linux.MountTable.Entry;
import dev.forebay.fuse.view.View;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import io.grpc.Status;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The volumes of this node. Each is a read-only copy of the mount that shows a version. Native
 * views are skipped, and the mount below them is copied. The pod detaches a native view if it is
 * damaged or its space is needed, and it cannot detach a copy inside a container. The kernel's
 * mount table is the only record of volumes. One thread at a time may use a target.
 */
final class Volumes {

    private static final Logger LOG = LoggerFactory.getLogger(Volumes.class);

    private static final String TREE = "fuse.forebay";
    private static final String IMAGE = "erofs";
    private static final String VERSION = "forebay.version";

    /** The suffix that the kernel adds to the root of a mount that can no longer be reached. */
    private static final String DELETED = "//deleted";

    /**
     * The maximum number of remembered targets; the oldest ones of volumes that are never published
     * are forgotten.
     */
    private static final int MOST_TOLD = 10_000;

    /** Longer than any call. */
    private static final Duration ALL_THERE_IS = Duration.ofDays(1);

    private final Path tree;
    private final Duration firstTimeout;
    private final Duration imageTimeout;

    /** The targets whose callers already got an error because the version was not visible. */
    private final Cache<Path, Boolean> told = Caffeine.newBuilder().maximumSize(MOST_TOLD).build();

    Volumes(Path tree, Duration firstTimeout, Duration imageTimeout) {
        this.tree = tree;
        this.firstTimeout = firstTimeout;
        this.imageTimeout = imageTimeout;
    }

    /** Returns whether versions are shown on this node, without accessing the mount. */
    boolean isTreeMounted() throws IOException {
        return MountTable.at(tree).stream().anyMatch(mount -> mount.type().equals(TREE));
    }

    /**
     * Publishes a version; does nothing if it is published already. Waits for a version that is not
     * visible yet. The first call waits only briefly, because a kubelet shows people nothing before
     * a call ends. A volume of a lost mount is replaced.
     *
     * @param target as the kernel knows it; created if it does not exist
     * @throws ForebayException {@code UNAVAILABLE} if the version does not become visible in time,
     *     {@code ALREADY_EXISTS} if something else is at the target
     */
    void publish(DatasetVersion version, Path target, CallTimeout timeout) throws IOException {
        if (isPublished(version, target)) {
            return;
        }
        Path folder = tree.resolve(version.path());
        boolean isFirst = told.asMap().put(target, true) == null;
        timeout.await(
                () -> Files.isDirectory(folder),
                isFirst ? firstTimeout : ALL_THERE_IS,
                () -> whyNot(version));
        told.invalidate(target);
        timeout.awaitOr(() -> !MountTable.at(folder).isEmpty(), imageTimeout);
        makeDirectory(target);
        try (DetachedMount copy =
                DetachedMount.copyOf(tree, folder, mount -> View.of(mount) == View.NATIVE)) {
            if (timeout.isOver()) {
                throw new ForebayException(ErrorCode.UNAVAILABLE, "the time for this call ran out");
            }
            copy.attach(target);
        }
        LOG.info("Published {} at {}", version, target);
    }

    /** Returns whether the version is published, and removes a volume of a lost mount. */
    private boolean isPublished(DatasetVersion version, Path target) throws IOException {
        List<Entry> there = MountTable.at(target);
        if (there.isEmpty()) {
            return false;
        }
        Entry top = there.getLast();
        if (!shows(top, version)) {
            throw new ForebayException(
                    ErrorCode.ALREADY_EXISTS,
                    "target_path %s has a volume other than %s: unpublish it first"
                            .formatted(target, version));
        }
        if (isAlive(top, version)) {
            return true;
        }
        LOG.info("The mount of the volume at {} is lost; publishing it again", target);
        unmount(there, target);
        return false;
    }

    private static boolean shows(Entry mount, DatasetVersion version) throws IOException {
        return switch (mount.type()) {
            // Decided by the mount table: the mount may be dead, or wait for a server.
            case TREE -> folderOf(mount).equals("/" + version.path());
            case IMAGE -> attribute(mount.mountpoint()).equals(version.toString());
            default -> false;
        };
    }

    private static String folderOf(Entry mount) {
        String root = mount.root();
        return root.endsWith(DELETED) ? root.substring(0, root.length() - DELETED.length()) : root;
    }

    /**
     * Returns the version that an image names; reading it needs no server, because the image is a
     * local file.
     */
    private static String attribute(Path directory) throws IOException {
        UserDefinedFileAttributeView attributes =
                Files.getFileAttributeView(directory, UserDefinedFileAttributeView.class);
        if (!attributes.list().contains(VERSION)) {
            return "";
        }
        ByteBuffer value = ByteBuffer.allocate(attributes.size(VERSION));
        int _ = attributes.read(VERSION, value);
        return StandardCharsets.UTF_8.decode(value.flip()).toString();
    }

    /** Returns whether a volume is a copy of a current mount. */
    private boolean isAlive(Entry volume, DatasetVersion version) throws IOException {
        Path folder = tree.resolve(version.path());
        return !volume.root().endsWith(DELETED)
                && MountTable.read().stream()
                        .filter(
                                it ->
                                        it.mountpoint().equals(tree)
                                                || it.mountpoint().equals(folder))
                        .anyMatch(it -> it.device().equals(volume.device()));
    }

    private String whyNot(DatasetVersion version) {
        try {
            if (!isTreeMounted()) {
                return "cannot publish %s: Forebay is not mounted at %s on this node"
                        .formatted(version, tree);
            }
            var _ = Files.getLastModifiedTime(tree);
        } catch (IOException e) {
            return "cannot publish %s: the node's mount does not work (%s)"
                    .formatted(version, e.getMessage());
        }
        return ("%s is not mounted on this node yet. If its region does not have it, request it "
                        + "(ensure_dataset_cached). Otherwise the node will mount it soon")
                .formatted(version);
    }

    private static void makeDirectory(Path target) throws IOException {
        try {
            Files.createDirectory(target);
        } catch (FileAlreadyExistsException e) {
            if (!Files.isDirectory(target, LinkOption.NOFOLLOW_LINKS)) {
                throw refused("target_path %s is not a directory".formatted(target));
            }
            try (DirectoryStream<Path> entries = Files.newDirectoryStream(target)) {
                if (entries.iterator().hasNext()) {
                    throw refused("target_path %s is not empty".formatted(target));
                }
            }
        }
    }

    private static ForebayException refused(String message) {
        return new ForebayException(ErrorCode.INVALID_ARGUMENT, message);
    }

    /**
     * Removes a volume and its directory; does nothing if there is none. Programs keep the files
     * that they have open.
     *
     * @param target as the kernel knows it
     */
    void unpublish(Path target) throws IOException {
        List<Entry> there = MountTable.at(target);
        unmount(there, target);
        if (Files.isDirectory(target, LinkOption.NOFOLLOW_LINKS)) {
            try {
                Files.delete(target);
            } catch (DirectoryNotEmptyException e) {
                throw foreign(
                        "target_path %s has files that do not belong to a volume"
                                .formatted(target));
            }
        } else if (Files.exists(target, LinkOption.NOFOLLOW_LINKS)) {
            throw foreign("target_path %s is not a directory".formatted(target));
        }
        if (!there.isEmpty()) {
            LOG.info("Unpublished {}", target);
        }
    }

    private static void unmount(List<Entry> mounts, Path target) throws IOException {
        for (Entry mount : mounts.reversed()) {
            if (!mount.type().equals(TREE) && !mount.type().equals(IMAGE)) {
                throw foreign(
                        "target_path %s has a mount of type %s, which does not belong to a volume"
                                .formatted(target, mount.type()));
            }
            MountCalls.detach(target);
        }
    }

    private static RuntimeException foreign(String message) {
        return Status.FAILED_PRECONDITION
                .withDescription(message + "; leaving it unchanged")
                .asRuntimeException();
    }
}
