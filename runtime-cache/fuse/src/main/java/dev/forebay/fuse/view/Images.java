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
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The images of mounted versions, in a directory of this process's own. For one thread at a time.
 */
final class Images {

    private static final Logger LOG = LoggerFactory.getLogger(Images.class);

    private final Path directory;
    private final ImageSource source;

    /**
     * @param directory made if it is not there
     */
    Images(Path directory, ImageSource source) {
        this.directory = directory;
        this.source = source;
        try {
            Files.createDirectories(directory);
        } catch (IOException e) {
            throw new ForebayException(ErrorCode.INTERNAL, "cannot make " + directory, e);
        }
    }

    /** The file name of a version's image: another manifest or another name has another one. */
    static String fileName(Mount mount) {
        return new ImageName(mount.version(), mount.manifest().digest()).fileName();
    }

    /**
     * The image of a version, fetched if it is not there.
     *
     * @throws ForebayException if it cannot be had
     */
    Path of(Mount mount) {
        Path image = directory.resolve(fileName(mount));
        if (!Files.exists(image)) {
            Path unfinished = directory.resolve("unfinished");
            source.fetch(mount, unfinished);
            try {
                Files.move(unfinished, image, StandardCopyOption.ATOMIC_MOVE);
            } catch (IOException e) {
                throw new ForebayException(ErrorCode.INTERNAL, "cannot keep " + image, e);
            }
        }
        return image;
    }

    /** Removes all images but these; those that are still mounted stay readable. */
    void keep(Set<String> fileNames) {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            for (Path file : files) {
                if (!fileNames.contains(file.getFileName().toString())) {
                    Files.delete(file);
                }
            }
        } catch (IOException e) {
            LOG.warn("Images of versions that are gone stay in {}: {}", directory, e.toString());
        }
    }
}
