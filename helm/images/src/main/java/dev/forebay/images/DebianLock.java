package dev.forebay.images;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/** The pinned Debian packages of each layer, from the file {@code debian.lock}. */
final class DebianLock {

    private final Map<String, List<DebianPackage>> layers = new TreeMap<>();

    private DebianLock() {}

    static DebianLock read() throws IOException {
        try (InputStream in =
                Objects.requireNonNull(DebianLock.class.getResourceAsStream("debian.lock"))) {
            return parse(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    /**
     * Parses the text of such a file.
     *
     * @throws IllegalArgumentException naming the invalid line
     */
    static DebianLock parse(String text) {
        DebianLock lock = new DebianLock();
        List<DebianPackage> layer = new ArrayList<>();
        for (String line : text.lines().toList()) {
            if (line.isBlank() || line.startsWith("#")) {
                continue;
            }
            if (line.startsWith("[") && line.endsWith("]")) {
                layer = new ArrayList<>();
                lock.layers.put(line.substring(1, line.length() - 1), layer);
                continue;
            }
            String[] fields = line.split(" ", -1);
            if (fields.length != 3 || !fields[2].matches("[0-9a-f]{64}") || lock.layers.isEmpty()) {
                throw new IllegalArgumentException(
                        "a line must have a package, its version and its SHA-256, not: " + line);
            }
            layer.add(new DebianPackage(fields[0], fields[1], fields[2]));
        }
        return lock;
    }

    /** Returns the packages of a layer, in the order of the file. */
    List<DebianPackage> layer(String name) {
        return List.copyOf(Objects.requireNonNull(layers.get(name), name));
    }
}
