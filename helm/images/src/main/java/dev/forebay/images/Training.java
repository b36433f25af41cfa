package dev.forebay.images;

import com.google.cloud.tools.jib.api.buildplan.FileEntriesLayer;
import dev.forebay.devstack.cli.Devstack;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.util.List;

/**
 * Creates the AOT caches of images. A JVM uses a cache only with the same JDK and with jars of the
 * same modification times as in the training. This class therefore trains copies of the programs,
 * which have the times of files in an image, on the images' JDK.
 */
final class Training {

    private static final FileTime TIME = FileTime.from(FileEntriesLayer.DEFAULT_MODIFICATION_TIME);

    private Training() {}

    /**
     * Copies all programs, and writes their AOT caches beside the copies.
     *
     * @param java the images' JDK
     * @param repository where the programs are built
     * @param copies receives the programs, at the same relative paths as in the repository
     */
    static void train(Path java, Path repository, Path copies)
            throws IOException, InterruptedException {
        for (Program program : Program.ALL) {
            copy(program.distribution(repository), program.distribution(copies));
        }
        Files.setLastModifiedTime(java.resolve("lib/modules"), TIME);
        Command.run(
                repository,
                List.of(
                        "env",
                        "FOREBAY_HOME=" + copies,
                        java.resolve("bin/java").toString(),
                        "-Xmx128m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Devstack.class.getName(),
                        "train"));
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.createDirectories(to.getParent());
        for (Path path : Directories.below(from)) {
            if (Application.isAotCache(path)) {
                continue;
            }
            Path copy = to.resolve(from.relativize(path));
            Files.copy(path, copy, StandardCopyOption.COPY_ATTRIBUTES);
            if (Files.isRegularFile(copy)) {
                Files.setLastModifiedTime(copy, TIME);
            }
        }
    }
}
