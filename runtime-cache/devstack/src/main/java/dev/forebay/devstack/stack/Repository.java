package dev.forebay.devstack.stack;

import dev.forebay.devstack.DevstackException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The repository whose built programs a stack runs.
 *
 * @param root its directory
 */
record Repository(Path root) {
    /** The one named by {@code FOREBAY_HOME}, else the one we are in. */
    static Repository current() {
        String home = System.getenv("FOREBAY_HOME");
        if (home != null) {
            return new Repository(Path.of(home).toAbsolutePath());
        }
        for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
            if (Files.exists(at.resolve("mvnw")) && Files.exists(at.resolve("runtime-cache"))) {
                return new Repository(at);
            }
        }
        throw new DevstackException(
                "this is not within a clone of Forebay: go there, or set FOREBAY_HOME to it");
    }

    Path workerJar() {
        return built("runtime-cache/worker/target/quarkus-app/quarkus-run.jar");
    }

    Path serviceJar() {
        return built("activities/target/quarkus-app/quarkus-run.jar");
    }

    Path fuseJar() {
        return built("runtime-cache/fuse/target/forebay-fuse/forebay-fuse.jar");
    }

    private Path built(String path) {
        Path jar = root.resolve(path);
        if (!Files.exists(jar)) {
            throw new DevstackException("%s is not there: run 'make build' first".formatted(jar));
        }
        return jar;
    }
}
