package dev.forebay.images;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import org.cyclonedx.model.Component;

/** Families of libraries that are released together and work together only in one version. */
final class Families {

    private static final List<String> GROUPS =
            List.of(
                    "io.netty",
                    "io.vertx",
                    "io.grpc",
                    "org.hibernate.orm",
                    "com.fasterxml.jackson");

    /** Members of the groups that have their own release numbers. */
    private static final List<String> OTHERS =
            List.of("jackson-annotations", "netty-tcnative-classes");

    private Families() {}

    /** Returns a sentence for each family of which a program has several versions. */
    static List<String> findings(String program, Collection<Component> components) {
        List<String> findings = new ArrayList<>();
        for (String group : GROUPS) {
            TreeSet<String> versions = new TreeSet<>();
            components.stream()
                    .filter(component -> isIn(group, component))
                    .forEach(component -> versions.add(component.getVersion()));
            if (versions.size() > 1) {
                findings.add(
                        "%s: libraries of %s have different versions: %s. Use one version for all"
                                .formatted(program, group, String.join(", ", versions)));
            }
        }
        return findings;
    }

    private static boolean isIn(String group, Component component) {
        String of = component.getGroup() == null ? "" : component.getGroup();
        return (of.equals(group) || of.startsWith(group + "."))
                && !OTHERS.contains(component.getName());
    }
}
