package dev.forebay.images;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.cyclonedx.model.Bom;
import org.cyclonedx.model.Component;

/** The components of a program from the bills of Maven and Quarkus, limited to its jars. */
final class ProgramLibraries {

    private ProgramLibraries() {}

    /**
     * Returns the program itself and its libraries by their references.
     *
     * @param bill that the Maven plugin wrote for the program's module
     * @param distribution the built program
     * @throws IOException if neither of them names a jar of the program
     */
    static Map<String, Component> of(Bom bill, Path distribution) throws IOException {
        Map<String, Component> libraries = new TreeMap<>();
        Component program = bill.getMetadata().getComponent();
        libraries.put(program.getBomRef(), program);
        Set<String> missing = jars(distribution);
        for (Component component : bill.getComponents()) {
            if (missing.removeAll(fileNames(component))) {
                libraries.put(component.getBomRef(), component);
            }
        }
        for (Component added : QuarkusDependencies.of(distribution)) {
            if (missing.removeAll(fileNames(added))) {
                libraries.put(added.getBomRef(), added);
            }
        }
        if (!missing.isEmpty()) {
            throw new IOException(
                    "the bill of materials of %s lacks %s"
                            .formatted(program.getName(), String.join(", ", missing)));
        }
        return libraries;
    }

    /** Returns the names of the jars in the program. */
    private static Set<String> jars(Path distribution) throws IOException {
        Set<String> names = new HashSet<>();
        for (Path path : Directories.below(distribution.resolve("lib"))) {
            if (Files.isRegularFile(path)) {
                names.add(path.getFileName().toString());
            }
        }
        return names;
    }

    /** Returns the names that Maven and Quarkus give the jar of a component. */
    private static Set<String> fileNames(Component component) {
        String purl = component.getPurl();
        String classifier =
                purl.contains("classifier=")
                        ? "-" + purl.replaceFirst(".*classifier=([^&]*).*", "$1")
                        : "";
        String name = component.getName() + "-" + component.getVersion() + classifier + ".jar";
        return Set.of(name, component.getGroup() + "." + name);
    }
}
