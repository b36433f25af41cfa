package dev.forebay.fuse;

import dev.forebay.fuse.linux.Identity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides whether users other than this process's user may read a mount.
 *
 * @param user the number of this process's user
 * @param configuration the file in which root permits other users to decide that
 */
record OtherUsers(int user, Path configuration) {

    private static final Logger LOG = LoggerFactory.getLogger(OtherUsers.class);
    private static final int ROOT = 0;
    private static final String ALLOWED = "user_allow_other";

    /** Returns the rule for this process, by the file that {@code fusermount} reads. */
    static OtherUsers ofThisMachine() {
        return new OtherUsers(Identity.ofThisProcess().user(), Path.of("/etc/fuse.conf"));
    }

    /**
     * Returns the value of {@code --allow-other}. Without it, returns whether this user may let
     * others in. If not, logs what root could change.
     */
    boolean mayRead(Path mountpoint, @Nullable Boolean asked) {
        if (asked != null) {
            return asked;
        }
        if (user == ROOT || isAllowed()) {
            return true;
        }
        LOG.info(
                "Only this user can read {}, because {} does not contain {}. Run as root so that "
                        + "other users can read, and for native views and holders",
                mountpoint,
                configuration,
                ALLOWED);
        return false;
    }

    /** Reads the file as {@code fusermount} does: a word alone on its line, before any comment. */
    private boolean isAllowed() {
        try (Stream<String> lines = Files.lines(configuration)) {
            return lines.anyMatch(line -> line.replaceFirst("#.*", "").strip().equals(ALLOWED));
        } catch (IOException missing) {
            return false;
        }
    }
}
