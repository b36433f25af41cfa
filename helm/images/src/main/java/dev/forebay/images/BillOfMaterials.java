package dev.forebay.images;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import org.cyclonedx.Version;
import org.cyclonedx.exception.GeneratorException;
import org.cyclonedx.exception.ParseException;
import org.cyclonedx.generators.BomGeneratorFactory;
import org.cyclonedx.model.Bom;
import org.cyclonedx.model.Component;
import org.cyclonedx.model.Dependency;
import org.cyclonedx.model.Hash;
import org.cyclonedx.model.Metadata;
import org.cyclonedx.parsers.JsonParser;

/**
 * The bill of materials of an image, in CycloneDX. It lists the program's components from Maven,
 * limited to jars in the image, the Debian packages, and the JDK.
 */
final class BillOfMaterials {

    private final Component image;
    private final Bom program;
    private final TreeMap<String, Component> components = new TreeMap<>();
    private final List<Dependency> dependencies = new ArrayList<>();

    private BillOfMaterials(Component image, Bom program) {
        this.image = image;
        this.program = program;
    }

    /**
     * Returns the bill of an image.
     *
     * @param program the bill that the Maven plugin wrote for the program's module
     * @param distribution the program as it is in the image
     * @param digest of the image's manifest
     * @throws IOException also if the image has a jar that Maven's bill does not name
     */
    static String of(
            String name,
            String version,
            String digest,
            Path program,
            Path distribution,
            List<DebianPackage> packages,
            JavaRuntime runtime)
            throws IOException {
        try {
            Component image = component(Component.Type.CONTAINER, name, version);
            image.setPurl(
                    "pkg:oci/%s@%s?tag=%s&arch=amd64"
                            .formatted(name, digest.replace(":", "%3A"), version));
            image.setBomRef(image.getPurl());
            BillOfMaterials bill =
                    new BillOfMaterials(image, new JsonParser().parse(program.toFile()));
            bill.addProgram(distribution);
            packages.forEach(bill::add);
            bill.add(runtime);
            return bill.json();
        } catch (ParseException | GeneratorException e) {
            throw new IOException("no bill of materials for " + name, e);
        }
    }

    private void addProgram(Path distribution) throws IOException {
        components.putAll(ProgramLibraries.of(program, distribution));
        for (Dependency dependency : program.getDependencies()) {
            if (components.containsKey(dependency.getRef())) {
                Dependency here = new Dependency(dependency.getRef());
                if (dependency.getDependencies() != null) {
                    dependency.getDependencies().stream()
                            .filter(it -> components.containsKey(it.getRef()))
                            .forEach(here::addDependency);
                }
                dependencies.add(here);
            }
        }
    }

    private void add(DebianPackage debian) {
        Component component = component(Component.Type.LIBRARY, debian.name(), debian.version());
        component.setGroup("debian");
        component.setPurl(debian.purl());
        component.setBomRef(debian.purl());
        component.addHash(new Hash(Hash.Algorithm.SHA_256, debian.sha256()));
        components.put(debian.purl(), component);
    }

    private void add(JavaRuntime runtime) throws IOException {
        Component component = component(Component.Type.PLATFORM, "openjdk", runtime.version());
        component.setPublisher(runtime.vendor());
        component.setPurl("pkg:generic/openjdk@" + runtime.version().replace("+", "%2B"));
        component.setBomRef(component.getPurl());
        components.put(component.getPurl(), component);
    }

    private static Component component(Component.Type type, String name, String version) {
        Component component = new Component();
        component.setType(type);
        component.setName(name);
        component.setVersion(version);
        return component;
    }

    private String json() throws GeneratorException {
        Dependency whole = new Dependency(image.getBomRef());
        Set<String> known = new HashSet<>();
        dependencies.forEach(
                dependency -> {
                    if (dependency.getDependencies() != null) {
                        dependency.getDependencies().forEach(it -> known.add(it.getRef()));
                    }
                });
        components.keySet().stream()
                .filter(ref -> !known.contains(ref))
                .forEach(ref -> whole.addDependency(new Dependency(ref)));
        dependencies.add(whole);

        Metadata metadata = new Metadata();
        metadata.setComponent(image);
        // The timestamp would be the time of the build, and no two bills would be equal.
        metadata.setTimestamp(null);
        Bom bom = new Bom();
        bom.setMetadata(metadata);
        bom.setComponents(List.copyOf(components.values()));
        bom.setDependencies(dependencies);
        return BomGeneratorFactory.createJson(Version.VERSION_16, bom).toJsonString();
    }
}
