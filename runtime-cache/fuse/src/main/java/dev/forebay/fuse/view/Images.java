package dev.forebay.fuse.view;

import dev.forebay.image.ImageName;
import dev.forebay.membership.Mount;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The images of mounted versions, in a directory of this process's own. Each has a second name, by
 * which it is mounted over packs on the node's disk: so that mounts tell what they are. For one
 * thread at a time.
 */
final class Images {

    private static final Logger LOG = LoggerFactory.getLogger(Images.class);
    private static final String NATIVE = "native";

    private final Path directory;
    private final ImageSource source;

    /**
     * @param directory made if it is not there
     */
    Images(Path directory, ImageSource source) {
        this.directory = directory.toAbsolutePath().normalize();
        this.source = source;
        try {
            Files.createDirectories(directory.resolve(NATIVE));
        } catch (IOException e) {
            throw new ForebayException(ErrorCode.INTERNAL, "cannot make " + directory, e);
        }
    }

    /** The file name of a version's image: another manifest or another name has another one. */
    static String fileName(Mount mount) {
        return new ImageName(mount.version(), mount.manifest().digest()).fileName();
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
     * The image of a version, fetched if it is not there.
     *
     * @throws ForebayException if it cannot be had
     */
    Path of(Mount mount, View view) {
        Path image = directory.resolve(fileName(mount));
        try {
            if (!Files.exists(image)) {
                Path unfinished = directory.resolve("unfinished");
                source.fetch(mount, unfinished);
                Files.move(unfinished, image, StandardCopyOption.ATOMIC_MOVE);
            }
            if (view != View.NATIVE) {
                return image;
            }
            Path second = directory.resolve(NATIVE).resolve(image.getFileName());
            return Files.exists(second) ? second : Files.createLink(second, image);
        } catch (IOException e) {
            throw new ForebayException(ErrorCode.INTERNAL, "cannot keep " + image, e);
        }
    }

    /** Removes all images but these; those that are still mounted stay readable. */
    void keep(Set<String> fileNames) {
        for (Path each : List.of(directory, directory.resolve(NATIVE))) {
            try (DirectoryStream<Path> files =
                    Files.newDirectoryStream(each, Files::isRegularFile)) {
                for (Path file : files) {
                    if (!fileNames.contains(file.getFileName().toString())) {
                        Files.delete(file);
                    }
                }
            } catch (IOException e) {
                LOG.warn("Images of versions that are gone stay in {}: {}", each, e.toString());
            }
        }
    }
}
