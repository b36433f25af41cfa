package dev.forebay.fuse.csi;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Restricts where volumes may be published: a process that can reach the socket can only cause
 * mounts there.
 *
 * @param directory the orchestrator's own directory
 */
record Targets(Path directory) {

    private static final String FIELD = "target_path";

    /**
     * Parses the path of a request, without accessing the file system.
     *
     * @throws ForebayException {@code INVALID_ARGUMENT}
     */
    static Path parse(String text) {
        if (text.isEmpty()) {
            throw refused("%s is missing; it must be the path to publish to".formatted(FIELD));
        }
        Path path;
        try {
            path = Path.of(text);
        } catch (InvalidPathException e) {
            throw refused("%s is '%s', which is not a path".formatted(FIELD, text));
        }
        if (!path.isAbsolute() || !path.equals(path.normalize()) || path.getParent() == null) {
            throw refused(
                    "%s is '%s'; it must be absolute, without . and ..".formatted(FIELD, text));
        }
        return path;
    }

    /**
     * Returns the path by which the kernel knows a target.
     *
     * @throws ForebayException {@code INVALID_ARGUMENT} if it is outside the directory, or its
     *     parent does not exist
     */
    Path existing(Path target) throws IOException {
        return find(target)
                .orElseThrow(
                        () ->
                                refused(
                                        "%s is %s; its parent directory must exist"
                                                .formatted(FIELD, target)));
    }

    /**
     * Same as {@link #existing}, but returns empty if the parent does not exist.
     *
     * @throws ForebayException {@code INVALID_ARGUMENT} if it is outside the directory
     */
    Optional<Path> find(Path target) throws IOException {
        // Resolves the parent only: the target may be a mount that does not answer.
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
