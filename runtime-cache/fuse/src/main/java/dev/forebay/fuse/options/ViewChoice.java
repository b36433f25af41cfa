package dev.forebay.fuse.options;

import dev.forebay.fuse.view.ImageDevices;
import dev.forebay.fuse.view.View;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The choices of {@code --view}. */
public enum ViewChoice {

    /** The best view that this node supports. */
    AUTO,

    /**
     * By images over this node's disk. All versions are brought there, whether they are read or
     * not. A version is shown on demand until it is complete, and if its space is needed: a slow
     * read is better than a refused one.
     */
    NATIVE,

    /** By images, from packs that the pod serves. */
    ON_DEMAND,

    /** File by file. */
    PORTABLE;

    /**
     * The supported views.
     *
     * @param best the best view of any version
     * @param devices meaningless if that is {@link View#PORTABLE}
     */
    public record Found(View best, ImageDevices devices) {}

    private static final Logger LOG = LoggerFactory.getLogger(ViewChoice.class);
    private static final int BLOCK_BYTES = 4096;

    /**
     * Determines the supported views, and logs them.
     *
     * @param devices the ways to try, in this order; empty if the configured ones are unusable
     * @param directory a directory of this process
     * @param wholePacks whether complete versions are brought to this node's disk
     * @throws ForebayException {@code INVALID_ARGUMENT} if this choice is not supported here
     */
    public Found find(List<ImageDevices> devices, Path directory, boolean wholePacks) {
        if (this == PORTABLE) {
            return portable("that is what --view says");
        }
        List<String> refusals = new ArrayList<>();
        if (devices.isEmpty()) {
            refusals.add("the transport jnr needs --image-devices loops");
        }
        for (ImageDevices each : devices) {
            Optional<String> refusal = refusal(each, directory.resolve("no-image"));
            if (refusal.isEmpty()) {
                View best = this != ON_DEMAND && wholePacks ? View.NATIVE : View.ON_DEMAND;
                LOG.info(
                        "Showing versions by images, mounted from {}{}: {}",
                        ChoiceConverter.word(each),
                        refusals.isEmpty() ? "" : ", because " + String.join("; ", refusals),
                        best == View.NATIVE
                                ? "native for complete versions, otherwise on demand"
                                : "on demand");
                return new Found(best, each);
            }
            refusals.add(refusal.get());
        }
        String why = String.join("; ", refusals);
        if (this != AUTO) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT, "--view %s: %s".formatted(this, why));
        }
        return portable(why);
    }

    private static Found portable(String why) {
        LOG.info("Showing versions file by file, because {}", why);
        return new Found(View.PORTABLE, ImageDevices.FILES);
    }

    /** Probes one way. The probe file stays, so that the next start needs no disk space. */
    private static Optional<String> refusal(ImageDevices devices, Path probe) {
        try {
            if (!Files.exists(probe) || Files.size(probe) != BLOCK_BYTES) {
                Files.write(probe, new byte[BLOCK_BYTES]);
            }
            return devices.refusal(probe);
        } catch (IOException e) {
            throw new ForebayException(
                    ErrorCode.UNAVAILABLE,
                    "--directory: cannot write %s: %s".formatted(probe, e),
                    e);
        }
    }

    /** Returns the word for the command line. */
    @Override
    public String toString() {
        return ChoiceConverter.word(this);
    }
}
