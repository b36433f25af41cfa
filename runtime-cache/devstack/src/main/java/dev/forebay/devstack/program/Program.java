package dev.forebay.devstack.program;

import java.nio.file.Path;

/**
 * A program of Forebay in one of its roles. Roles that share a jar load different classes, so each
 * role has an AOT cache of its own.
 */
public enum Program {
    WORKER("runtime-cache/worker/target/quarkus-app/quarkus-run.jar"),
    AGENT("activities/target/quarkus-app/quarkus-run.jar"),
    CONTROL_PLANE("activities/target/quarkus-app/quarkus-run.jar"),
    /** A FUSE pod; the CSI driver uses its cache too. */
    POD("runtime-cache/fuse/target/forebay-fuse/forebay-fuse.jar"),
    /** The process that keeps a mount while pods come and go. */
    HOLDER("runtime-cache/fuse/target/forebay-fuse/forebay-fuse.jar");

    private final String jar;

    Program(String jar) {
        this.jar = jar;
    }

    /** Returns the jar in a built clone of the repository. */
    public Path jar(Path repository) {
        return repository.resolve(jar);
    }
}
