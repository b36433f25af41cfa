package dev.forebay.suite;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

/**
 * Remembers with which code the tests of a module passed: the same tests of the same code need not
 * run again.
 *
 * @param directory where it is remembered
 */
record Passed(Path directory) {
    /** Whether a part of a module passed with the code that its class path now has. */
    boolean has(MavenModule module, Part part) throws IOException {
        Path file = file(module, part);
        return Files.exists(file) && Files.readString(file).equals(fingerprint(module));
    }

    void remember(MavenModule module, Part part) throws IOException {
        Files.createDirectories(directory);
        Files.writeString(file(module, part), fingerprint(module));
    }

    private Path file(MavenModule module, Part part) {
        return directory.resolve(module.name().replace('/', '.') + "." + part);
    }

    /**
     * A digest of all classes, resources and jars of the repository on the class path, and of the
     * names of libraries, which hold their versions.
     */
    private static String fingerprint(MavenModule module) throws IOException {
        MessageDigest digest = sha256();
        for (Path entry : module.classPath()) {
            digest.update(entry.toString().getBytes(StandardCharsets.UTF_8));
            if (entry.startsWith(module.repository()) && Files.exists(entry)) {
                for (Path file : files(entry)) {
                    digest.update(file.toString().getBytes(StandardCharsets.UTF_8));
                    digest.update(Files.readAllBytes(file));
                }
            }
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    private static List<Path> files(Path directory) throws IOException {
        try (Stream<Path> walk = Files.walk(directory)) {
            return walk.filter(Files::isRegularFile).sorted().toList();
        }
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
