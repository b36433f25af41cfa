package dev.forebay.images;

import java.nio.file.Path;
import java.util.List;

/**
 * What an image runs.
 *
 * @param name of the image, after {@code forebay-}
 * @param module the folder of its Maven module
 * @param directory what is built there to be run, below the module's {@code target}
 * @param jar the one in it that is started
 * @param user of the image
 * @param debian layers of Debian's packages that it needs beside the base
 */
record Program(
        String name,
        String module,
        String directory,
        String jar,
        String user,
        List<String> debian) {

    /** Nobody's on any node; the chart says the same. */
    static final String NOBODY = "65532:65532";

    static final List<Program> ALL =
            List.of(
                    new Program(
                            "service",
                            "activities",
                            "quarkus-app",
                            "quarkus-run.jar",
                            NOBODY,
                            List.of()),
                    new Program(
                            "worker",
                            "runtime-cache/worker",
                            "quarkus-app",
                            "quarkus-run.jar",
                            NOBODY,
                            List.of()),
                    // It mounts.
                    new Program(
                            "fuse",
                            "runtime-cache/fuse",
                            "forebay-fuse",
                            "forebay-fuse.jar",
                            "0:0",
                            List.of("fuse")));

    String image() {
        return "forebay-" + name;
    }

    Path distribution(Path repository) {
        return repository.resolve(module).resolve("target").resolve(directory);
    }

    Path bom(Path repository) {
        return repository.resolve(module).resolve("target/bom.json");
    }

    /** What starts it; arguments are added. */
    List<String> entrypoint() {
        return List.of(
                JavaRuntime.PLACE + "/bin/java",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-jar",
                Application.PLACE + "/" + jar);
    }
}
