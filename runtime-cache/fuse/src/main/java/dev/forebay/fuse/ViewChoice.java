package dev.forebay.fuse;

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

/** How to show versions, as far as the user wants to say. */
enum ViewChoice {

    /** As well as this node can. */
    AUTO,

    /**
     * By their images, from this node's disk, to which they are brought whether they are read or
     * not. Until a version is there, or if its room is needed, it is shown on demand: a reader that
     * could be served slowly is not refused.
     */
    NATIVE,

    /** By their images, over packs that the pod serves. */
    ON_DEMAND,

    /** File by file. */
    PORTABLE;

    /**
     * What was found to be possible.
     *
     * @param best no version is shown in a better way
     * @param devices means something unless that is {@link View#PORTABLE}
     */
    record Found(View best, ImageDevices devices) {}

    private static final Logger LOG = LoggerFactory.getLogger(ViewChoice.class);
    private static final int BLOCK_BYTES = 4096;

    /**
     * Finds out how versions can be shown, and says so in the log.
     *
     * @param devices what to try, in this order; none if what was asked for cannot be used
     * @param directory of this process's own
     * @param wholePacks whether versions are brought to this node's disk as a whole
     * @throws ForebayException {@code INVALID_ARGUMENT} if what is asked for cannot be done
     */
    Found find(List<ImageDevices> devices, Path directory, boolean wholePacks) {
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
                        "Versions are shown by their images, mounted from {}{}: {}",
                        ChoiceConverter.word(each),
                        refusals.isEmpty() ? "" : ", because " + String.join("; ", refusals),
                        best == View.NATIVE
                                ? "natively where a whole version is here, else on demand"
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
        LOG.info("Versions are shown file by file, because {}", why);
        return new Found(View.PORTABLE, ImageDevices.FILES);
    }

    /** The probe stays, so that the next start needs no room on the disk. */
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

    /** As on the command line. */
    @Override
    public String toString() {
        return ChoiceConverter.word(this);
    }
}
