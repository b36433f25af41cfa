package dev.forebay.suite;

import dev.forebay.devstack.DevstackException;
import java.io.File;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * A built Maven module.
 *
 * @param name its directory, relative to the repository
 */
record MavenModule(Path repository, String name) {
    /** The test class path of the module without its own classes. The build writes this file. */
    private static final String CLASS_PATH = "target/test.classpath";

    private static final String TEST_CLASSES = "target/test-classes";
    private static final String TEST_SOURCES = "src/test/java";

    /**
     * Returns the modules of a repository that have tests, in the order of their names.
     *
     * @throws DevstackException naming a module that is not built
     */
    static List<MavenModule> in(Path repository) throws IOException {
        List<MavenModule> found = new ArrayList<>();
        addBelow(repository, repository, found);
        found.sort(Comparator.comparing(MavenModule::name));
        return found;
    }

    private static void addBelow(Path repository, Path directory, List<MavenModule> found)
            throws IOException {
        if (Files.isDirectory(directory.resolve(TEST_SOURCES))) {
            MavenModule module =
                    new MavenModule(repository, repository.relativize(directory).toString());
            module.requireBuilt();
            found.add(module);
        }
        try (DirectoryStream<Path> below =
                Files.newDirectoryStream(directory, MavenModule::mayHoldModules)) {
            for (Path each : below) {
                addBelow(repository, each, found);
            }
        }
    }

    private static boolean mayHoldModules(Path path) {
        String name = path.getFileName().toString();
        return Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)
                && !name.startsWith(".")
                && !name.equals("src")
                && !name.equals("target");
    }

    private void requireBuilt() {
        for (String built : List.of(CLASS_PATH, TEST_CLASSES)) {
            if (!Files.exists(directory().resolve(built))) {
                throw new DevstackException(
                        "Module %s has %s and no %s: build it with 'make build'."
                                .formatted(name, TEST_SOURCES, built));
            }
        }
    }

    Path directory() {
        return repository.resolve(name);
    }

    Path testClasses() {
        return directory().resolve(TEST_CLASSES);
    }

    /** Returns the module's own classes, then its dependencies. */
    List<Path> classPath() throws IOException {
        List<Path> all = new ArrayList<>();
        all.add(testClasses());
        all.add(directory().resolve("target/classes"));
        String others = Files.readString(directory().resolve(CLASS_PATH)).strip();
        for (String other : others.split(File.pathSeparator, -1)) {
            if (!other.isEmpty()) {
                all.add(Path.of(other));
            }
        }
        return all;
    }

    @Override
    public String toString() {
        return name;
    }
}
