package dev.forebay.chart;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** The settings in the tables of docs/configuration.md, by the heading above them. */
final class DocumentedSettings {

    private static final Pattern HEADING = Pattern.compile("#+ (.*)");
    private static final Pattern QUOTED = Pattern.compile("`([^`]+)`");
    private static final String FUSE = "FUSE pod";

    /** The tables below each heading, with the first two cells of each row. */
    private final Map<String, List<List<Row>>> tables;

    private record Row(String first, String second) {}

    private DocumentedSettings(Map<String, List<List<Row>>> tables) {
        this.tables = tables;
    }

    static DocumentedSettings read() throws IOException {
        Map<String, List<List<Row>>> tables = new HashMap<>();
        String heading = "";
        boolean inTable = false;
        for (String line : Files.readAllLines(Path.of("../docs/configuration.md"))) {
            var found = HEADING.matcher(line);
            boolean row = line.startsWith("|");
            if (found.matches()) {
                heading = found.group(1);
            } else if (row) {
                List<List<Row>> here = tables.computeIfAbsent(heading, _ -> new ArrayList<>());
                if (!inTable) {
                    here.add(new ArrayList<>());
                }
                String[] cells = line.split("\\|", -1);
                here.getLast().add(new Row(cells[1], cells[2]));
            }
            inTable = row;
        }
        return new DocumentedSettings(tables);
    }

    /** Returns the settings below these headings. */
    Set<String> of(String... headings) {
        Set<String> names = new TreeSet<>();
        for (String heading : headings) {
            assertThat(tables).containsKey(heading);
            tables.getOrDefault(heading, List.of())
                    .forEach(table -> table.forEach(row -> quoted(row.first(), names)));
        }
        return names;
    }

    /** Returns the variables of processes that serve a mount. */
    Set<String> ofPods() {
        return variables(0, "FOREBAY_FUSE_HOLDER");
    }

    /** Returns the variables of holders. */
    Set<String> ofHolders() {
        return variables(1, "FOREBAY_FUSE_HOLDER");
    }

    /** Returns the variables of CSI drivers. */
    Set<String> ofDrivers() {
        return variables(2, "FOREBAY_CSI_SOCKET");
    }

    private Set<String> variables(int table, String one) {
        Set<String> names = new TreeSet<>();
        tables.getOrDefault(FUSE, List.of()).get(table).forEach(row -> quoted(row.second(), names));
        assertThat(names).contains(one);
        return names;
    }

    private static void quoted(String cell, Set<String> names) {
        QUOTED.matcher(cell).results().forEach(name -> names.add(name.group(1)));
    }
}
