package dev.forebay.images;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.cyclonedx.model.Component;

/**
 * Reads the list of an application's libraries that Quarkus wrote. Maven's list is incomplete,
 * because Quarkus adds some libraries where two extensions meet.
 */
final class QuarkusDependencies {

    private static final String FILE = "quarkus-app-dependencies.txt";

    private QuarkusDependencies() {}

    /** Returns the libraries of an application; none if it does not use Quarkus. */
    static List<Component> of(Path distribution) throws IOException {
        Path file = distribution.resolve(FILE);
        if (!Files.exists(file)) {
            return List.of();
        }
        List<Component> libraries = new ArrayList<>();
        for (String line : Files.readAllLines(file)) {
            String[] fields = line.strip().split(":", -1);
            if (fields.length == 5 && fields[3].equals("jar")) {
                libraries.add(library(fields[0], fields[1], fields[2], fields[4]));
            }
        }
        return libraries;
    }

    private static Component library(
            String group, String artifact, String classifier, String version) {
        Component component = new Component();
        component.setType(Component.Type.LIBRARY);
        component.setGroup(group);
        component.setName(artifact);
        component.setVersion(version);
        component.setPurl(
                "pkg:maven/%s/%s@%s?%stype=jar"
                        .formatted(
                                group,
                                artifact,
                                version,
                                classifier.isEmpty() ? "" : "classifier=" + classifier + "&"));
        component.setBomRef(component.getPurl());
        return component;
    }
}
