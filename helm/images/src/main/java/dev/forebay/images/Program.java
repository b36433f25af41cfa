package dev.forebay.images;

import static dev.forebay.devstack.program.Program.CONTROL_PLANE;
import static dev.forebay.devstack.program.Program.POD;
import static dev.forebay.devstack.program.Program.WORKER;

import dev.forebay.devstack.program.AotCache;
import java.nio.file.Path;
import java.util.List;

/**
 * A program for which there is an image.
 *
 * @param name of the image, after {@code forebay-}
 * @param module the folder of its Maven module
 * @param directory the folder of the built program, below the module's {@code target}
 * @param jar the file in it that Java starts
 * @param role whose AOT cache a start uses unless {@code JDK_JAVA_OPTIONS} names another
 * @param user of the image
 * @param debian layers of Debian packages that it needs besides the base
 */
record Program(
        String name,
        String module,
        String directory,
        String jar,
        dev.forebay.devstack.program.Program role,
        String user,
        List<String> debian) {

    /** A user that no node has. The chart uses the same. */
    static final String NOBODY = "65532:65532";

    /**
     * The initial heap as a share of the container's memory. The JDK's default, a 64th, is too
     * little with 512 MiB: the objects of an AOT cache do not fit, and the JVM does not start.
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
                    // Root, because the pod mounts.
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

    /** Returns the command that starts the program, to which arguments are added. */
    List<String> entrypoint() {
        return List.of(
                JavaRuntime.PLACE + "/bin/java",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-XX:InitialRAMPercentage=" + FIRST_HEAP_PERCENT,
                "-jar",
                Application.PLACE + "/" + jar);
    }

    /** Returns the path of its role's AOT cache in an image. */
    Path aotCache() {
        return AotCache.of(role, Path.of(Application.PLACE, jar)).file();
    }
}
