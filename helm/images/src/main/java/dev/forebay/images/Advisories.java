package dev.forebay.images;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import org.cyclonedx.model.Component;

/** The advisories in the file {@code advisories.tsv}. */
final class Advisories {

    private static final String NONE = "-";
    private static final Pattern ID = Pattern.compile("CVE-\\d{4}-\\d{4,}|GHSA(-[a-z0-9]{4}){3}");
    private static final Pattern ACCEPTED = Pattern.compile("-|[a-z]+: \\S.*");
    private static final int COLUMNS = 6;

    private final List<Advisory> all = new ArrayList<>();

    private Advisories() {}

    static Advisories read() throws IOException {
        try (InputStream in =
                Objects.requireNonNull(Advisories.class.getResourceAsStream("advisories.tsv"))) {
            return parse(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    /**
     * Parses the text of such a file.
     *
     * @throws IllegalArgumentException with the invalid line and the rule
     */
    static Advisories parse(String text) {
        Advisories advisories = new Advisories();
        for (String line : text.lines().toList()) {
            if (!line.isBlank() && !line.startsWith("#")) {
                advisories.all.add(advisory(line));
            }
        }
        return advisories;
    }

    private static Advisory advisory(String line) {
        String[] columns = line.split("\t", -1);
        check(columns.length == COLUMNS, line, "must have six columns, divided by tabs");
        check(ID.matcher(columns[0]).matches(), line, "must begin with the id of a CVE or GHSA");
        check(columns[1].startsWith("pkg:"), line, "must have a package URL in column 2");
        check(
                ACCEPTED.matcher(columns[5]).matches(),
                line,
                "must end with - or with a program, a colon and a reason");
        Advisory read =
                new Advisory(
                        columns[0],
                        columns[1],
                        Advisory.version(columns[2]),
                        said(columns[3]).map(Advisory::version),
                        columns[4],
                        said(columns[5].replaceFirst(":.*", "")));
        boolean inOrder = read.fixed().stream().allMatch(it -> it.compareTo(read.introduced()) > 0);
        check(inOrder, line, "must name a fix in column 4 that is later than column 3");
        return read;
    }

    private static Optional<String> said(String column) {
        return Optional.of(column).filter(text -> !text.equals(NONE));
    }

    private static void check(boolean holds, String line, String rule) {
        if (!holds) {
            throw new IllegalArgumentException("the line \"%s\" %s".formatted(line, rule));
        }
    }

    /** Returns a sentence for each component of a program that an advisory affects. */
    List<String> findings(String program, Collection<Component> components) {
        return components.stream()
                .flatMap(
                        component ->
                                all.stream()
                                        .filter(advisory -> advisory.applies(program, component))
                                        .map(advisory -> sentence(program, component, advisory)))
                .sorted()
                .distinct()
                .toList();
    }

    private static String sentence(String program, Component component, Advisory advisory) {
        return "%s: %s@%s has %s: %s. %s"
                .formatted(
                        program,
                        advisory.library(),
                        component.getVersion(),
                        advisory.id(),
                        advisory.summary(),
                        advisory.fixed()
                                .map(version -> "Take %s or later".formatted(version))
                                .orElse("There is no fix yet"));
    }
}
