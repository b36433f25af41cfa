package dev.forebay.fuse.csi;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Where volumes may be published: whoever can reach the socket can have mounts made only there.
 *
 * @param directory the orchestrator's own
 */
record Targets(Path directory) {

    private static final String FIELD = "target_path";

    /**
     * Reads a request's path, without a look at what is there.
     *
     * @throws ForebayException {@code INVALID_ARGUMENT}
     */
    static Path parse(String text) {
        if (text.isEmpty()) {
            throw refused("%s is missing; it says where to publish".formatted(FIELD));
        }
        Path path;
        try {
            path = Path.of(text);
        } catch (InvalidPathException e) {
            throw refused("%s is '%s', which is no path".formatted(FIELD, text));
        }
        if (!path.isAbsolute() || !path.equals(path.normalize()) || path.getParent() == null) {
            throw refused(
                    "%s is '%s'; it must be absolute, without . and ..".formatted(FIELD, text));
        }
        return path;
    }

    /**
     * The path that the kernel knows a target by.
     *
     * @throws ForebayException {@code INVALID_ARGUMENT} if it is elsewhere, or what it is in is not
     *     there
     */
    Path existing(Path target) throws IOException {
        return find(target)
                .orElseThrow(
                        () ->
                                refused(
                                        "%s is %s; the directory that it is in must be there"
                                                .formatted(FIELD, target)));
    }

    /**
     * As {@link #existing}; empty if what it is in is not there.
     *
     * @throws ForebayException {@code INVALID_ARGUMENT} if it is elsewhere
     */
    Optional<Path> find(Path target) throws IOException {
        // Not the target itself: it may be a mount that does not answer.
        Path parent = target.getParent();
        try {
            if (parent != null) {
                Path real = parent.toRealPath();
                if (real.startsWith(directory.toRealPath())) {
                    return Optional.of(real.resolve(target.getFileName()));
                }
            }
        } catch (NoSuchFileException e) {
            if (target.startsWith(directory)) {
                return Optional.empty();
            }
        }
        throw refused(
                "%s is %s; it must be below --kubelet-directory, %s"
                        .formatted(FIELD, target, directory));
    }

    private static ForebayException refused(String message) {
        return new ForebayException(ErrorCode.INVALID_ARGUMENT, message);
    }
}
