package dev.forebay.images;

import static dev.forebay.devstack.program.Program.CONTROL_PLANE;
import static dev.forebay.devstack.program.Program.POD;
import static dev.forebay.devstack.program.Program.WORKER;

import dev.forebay.devstack.program.AotCache;
import java.nio.file.Path;
import java.util.List;

/**
 * What an image runs.
 *
 * @param name of the image, after {@code forebay-}
 * @param module the folder of its Maven module
 * @param directory what is built there to be run, below the module's {@code target}
 * @param jar the one in it that is started
 * @param role the one whose AOT cache a start uses unless {@code JDK_JAVA_OPTIONS} names another
 * @param user of the image
 * @param debian layers of Debian's packages that it needs beside the base
 */
record Program(
        String name,
        String module,
        String directory,
        String jar,
        dev.forebay.devstack.program.Program role,
        String user,
        List<String> debian) {

    /** Nobody's on any node; the chart says the same. */
    static final String NOBODY = "65532:65532";

    /**
     * Of the container's memory. The JDK's share, a 64th, is too little of 512 MiB for the objects
     * in an AOT cache, and the JVM does not start.
     */
    private static final String FIRST_HEAP_PERCENT = "6.25";

    static final List<Program> ALL =
            List.of(
                    new Program(
                            "service",
                            "activities",
                            "quarkus-app",
                            "quarkus-run.jar",
                            CONTROL_PLANE,
                            NOBODY,
                            List.of()),
                    new Program(
                            "worker",
                            "runtime-cache/worker",
                            "quarkus-app",
                            "quarkus-run.jar",
                            WORKER,
                            NOBODY,
                            List.of()),
                    // It mounts.
                    new Program(
                            "fuse",
                            "runtime-cache/fuse",
                            "forebay-fuse",
                            "forebay-fuse.jar",
                            POD,
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
                "-XX:InitialRAMPercentage=" + FIRST_HEAP_PERCENT,
                "-jar",
                Application.PLACE + "/" + jar);
    }

    /** Where the AOT cache of its role is in an image. */
    Path aotCache() {
        return AotCache.of(role, Path.of(Application.PLACE, jar)).file();
    }
}
