package dev.forebay.fuse.view;

import dev.forebay.membership.Mount;
import dev.forebay.model.Digest;
import java.nio.file.Path;

/** Where images come from. */
@FunctionalInterface
public interface ImageSource {

    /**
     * Writes the image of a version, verified, to a file, which is overwritten.
     *
     * @return its SHA-256
     * @throws dev.forebay.model.ForebayException if it cannot be had
     */
    Digest fetch(Mount mount, Path target);
}
