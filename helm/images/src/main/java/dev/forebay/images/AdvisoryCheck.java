package dev.forebay.images;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.cyclonedx.exception.ParseException;
import org.cyclonedx.model.Bom;
import org.cyclonedx.model.Component;
import org.cyclonedx.parsers.JsonParser;

/**
 * Compares the libraries of the programs, from their bills of materials, and the pinned Python
 * packages with the known advisories.
 */
public final class AdvisoryCheck {

    private static final Pattern PINNED = Pattern.compile("(\\S+)==(\\S+)");

    private AdvisoryCheck() {}

    /**
     * Takes the repository, in which all programs must be built. Exits with 1 if there are
     * findings.
     */
    @SuppressWarnings("SystemOut")
    public static void main(String[] arguments) {
        if (arguments.length != 1) {
            System.err.println("Usage: AdvisoryCheck REPOSITORY");
            System.exit(2);
        }
        try {
            check(Path.of(arguments[0]));
            System.out.println("No library has a weakness that advisories.tsv knows");
        } catch (IOException e) {
            System.err.println(e.getMessage());
            System.exit(1);
        }
    }

    /**
     * Fails if a program has a vulnerable library, or several versions of one family of libraries.
     * An upgrade of one version would leave the other behind.
     *
     * @throws IOException with all findings
     */
    static void check(Path repository) throws IOException {
        Advisories advisories = Advisories.read();
        List<String> findings = new ArrayList<>();
        for (Program program : Program.ALL) {
            Collection<Component> libraries =
                    ProgramLibraries.of(
                                    bill(program.bom(repository)), program.distribution(repository))
                            .values();
            findings.addAll(advisories.findings(program.name(), libraries));
            findings.addAll(Families.findings(program.name(), libraries));
        }
        findings.addAll(advisories.findings("python", pythonPackages(repository)));
        if (!findings.isEmpty()) {
            throw new IOException("Known weaknesses:\n" + String.join("\n", findings));
        }
    }

    /** Returns the pinned packages of the Python environments. */
    static List<Component> pythonPackages(Path repository) throws IOException {
        List<Component> packages = new ArrayList<>();
        Path python = repository.resolve("sdk-python-shim");
        try (DirectoryStream<Path> lists = Files.newDirectoryStream(python, "requirements-*.txt")) {
            for (Path list : lists) {
                Files.readAllLines(list).stream()
                        .map(PINNED::matcher)
                        .filter(Matcher::matches)
                        .map(pin -> pythonPackage(pin.group(1), pin.group(2)))
                        .forEach(packages::add);
            }
        }
        return packages;
    }

    private static Bom bill(Path file) throws IOException {
        try {
            return new JsonParser().parse(file.toFile());
        } catch (ParseException e) {
            throw new IOException("Cannot read %s: 'make build' writes it".formatted(file), e);
        }
    }

    private static Component pythonPackage(String name, String version) {
        Component component = new Component();
        component.setType(Component.Type.LIBRARY);
        component.setName(name);
        component.setVersion(version);
        component.setPurl(
                "pkg:pypi/%s@%s"
                        .formatted(name.toLowerCase(Locale.ROOT).replaceAll("[_.]", "-"), version));
        return component;
    }
}
