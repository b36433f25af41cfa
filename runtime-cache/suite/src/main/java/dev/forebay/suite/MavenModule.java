package dev.forebay.suite;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A built Maven module.
 *
 * @param name its directory, relative to the repository
 */
record MavenModule(Path repository, String name) {
    /** Written by the build: the test class path of the module, without its own classes. */
    private static final String CLASS_PATH = "target/test.classpath";

    private static final String TEST_CLASSES = "target/test-classes";

    /** Of the deepest module: runtime-cache/core. */
    private static final int DEPTH = 2;

    /** The modules of a repository that have tests. */
    static List<MavenModule> in(Path repository) throws IOException {
        try (Stream<Path> directories = Files.walk(repository, DEPTH)) {
            return directories
                    .filter(directory -> Files.exists(directory.resolve(CLASS_PATH)))
                    .filter(directory -> Files.exists(directory.resolve(TEST_CLASSES)))
                    .map(directory -> repository.relativize(directory).toString())
                    .sorted()
                    .map(name -> new MavenModule(repository, name))
                    .toList();
        }
    }

    Path directory() {
        return repository.resolve(name);
    }

    Path testClasses() {
        return directory().resolve(TEST_CLASSES);
    }

    /** Its own classes, then what it depends on. */
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
