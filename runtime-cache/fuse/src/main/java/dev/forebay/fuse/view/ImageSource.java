package dev.forebay.fuse.view;

import dev.forebay.membership.Mount;
import dev.forebay.model.Digest;
import java.nio.file.Path;

/** Provides the images of versions, for example from a worker of the region. */
@FunctionalInterface
public interface ImageSource {

    /**
     * Writes the verified image of a version to a file, which is overwritten.
     *
     * @return its SHA-256
     * @throws dev.forebay.model.ForebayException if the image is unavailable
     */
    Digest fetch(Mount mount, Path target);
}
