package dev.forebay.fuse;

import dev.forebay.fuse.linux.DetachedMount;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How to show versions, as far as the user wants to say. */
enum ViewChoice {

    /** By their images where this process can mount them, else file by file. */
    AUTO,

    /** By their images. */
    IMAGE,

    /** File by file. */
    PORTABLE;

    private static final Logger LOG = LoggerFactory.getLogger(ViewChoice.class);
    private static final int BLOCK_BYTES = 4096;

    /**
     * Whether to show versions by their images.
     *
     * @param directory of this process's own
     * @throws ForebayException {@code INVALID_ARGUMENT} if that is asked for and cannot be done
     */
    boolean byImages(Path directory) {
        if (this == PORTABLE) {
            return false;
        }
        Optional<String> refusal = refusal(directory.resolve("no-image"));
        if (refusal.isPresent() && this == IMAGE) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT, "--view image: " + refusal.get());
        }
        refusal.ifPresent(why -> LOG.info("Versions are shown file by file, because {}", why));
        return refusal.isEmpty();
    }

    private static Optional<String> refusal(Path probe) {
        try {
            Files.write(probe, new byte[BLOCK_BYTES]);
            try {
                return DetachedMount.refusal(probe);
            } finally {
                Files.delete(probe);
            }
        } catch (IOException e) {
            throw new ForebayException(ErrorCode.UNAVAILABLE, "cannot write " + probe, e);
        }
    }
}
