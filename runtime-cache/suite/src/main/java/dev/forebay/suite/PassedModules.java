package dev.forebay.suite;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Remembers which code passed the tests of a module, so that an unchanged module need not run
 * again. The constructor reads the code, so changes by a build during the run do not count.
 */
final class PassedModules {
    /** Files that tests read besides their class path, relative to the repository. */
    private static final List<String> ALSO_READ =
            List.of(
                    "docs",
                    "helm/forebay",
                    "Makefile",
                    "runtime-cache/devstack/bin",
                    "runtime-cache/suite/faults.py",
                    "runtime-cache/suite/mutants.py",
                    "runtime-cache/suite/src");

    /**
     * Always runs: its {@code SemanticsDocTest} takes seconds and reads the test sources of all
     * modules.
     */
    private static final String NEVER_KNOWN = "runtime-cache/system-tests";

    private final Path directory;
    private final Map<MavenModule, String> fingerprints = new HashMap<>();

    /**
     * @param directory where the digests of passed code are kept
     */
    PassedModules(Path directory, Path repository) throws IOException {
        this.directory = directory;
        List<Path> alsoRead = ALSO_READ.stream().map(repository::resolve).toList();
        for (MavenModule module : MavenModule.in(repository)) {
            fingerprints.put(module, fingerprint(module, alsoRead));
        }
    }

    /** Returns whether the part passed with the code that this object has read. */
    boolean has(MavenModule module, SuitePart part) throws IOException {
        Path file = file(module, part);
        return !module.name().equals(NEVER_KNOWN)
                && Files.exists(file)
                && Files.readString(file).equals(fingerprints.get(module));
    }

    void remember(MavenModule module, SuitePart part) throws IOException {
        Files.createDirectories(directory);
        Files.writeString(file(module, part), fingerprints.get(module));
    }

    private Path file(MavenModule module, SuitePart part) {
        return directory.resolve(module.name().replace('/', '.') + "." + part);
    }

    /**
     * Returns a digest of everything that can change the result of the tests: classes, resources
     * and jars of the repository on the class path, other files that tests read, the names of
     * libraries, which contain their versions, and the version of the JDK.
     */
    private static String fingerprint(MavenModule module, List<Path> alsoRead) throws IOException {
        MessageDigest digest = sha256();
        digest.update(Runtime.version().toString().getBytes(StandardCharsets.UTF_8));
        List<Path> entries = new ArrayList<>(module.classPath());
        entries.addAll(alsoRead);
        for (Path entry : entries) {
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
