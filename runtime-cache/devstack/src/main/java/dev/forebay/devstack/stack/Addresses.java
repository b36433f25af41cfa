package dev.forebay.devstack.stack;

import dev.forebay.devstack.server.S3Server;
import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;

/**
 * The addresses of a stack's parts. The devstack writes the file when all parts are ready. A stack
 * without this file has not started yet or failed to start.
 *
 * @param entries name and address, such as {@code api} and {@code http://127.0.0.1:7700}
 */
public record Addresses(Map<String, String> entries) {
    static final String API = "api";
    private static final String REGIONS = "regions";

    public Addresses {
        entries = Map.copyOf(entries);
    }

    static Addresses of(StackConfig config, Layout layout, Startup.Parts parts) {
        Map<String, String> entries = new LinkedHashMap<>();
        entries.put(API, parts.controlPlane().address().toString());
        entries.put("console", parts.controlPlane().address().resolve("/console").toString());
        entries.put("temporal", parts.backing().temporalAddress().target());
        parts.backing()
                .temporalAddress()
                .ui()
                .ifPresent(ui -> entries.put("temporal.ui", ui.toString()));
        entries.put("postgres", parts.backing().postgresAddress().url());
        entries.put("lake", parts.backing().lakeAddress().endpoint().toString());
        entries.put("lake.region", parts.backing().lakeAddress().region());
        parts.backing()
                .lake()
                .map(S3Server::credentialsFile)
                .ifPresent(file -> entries.put("lake.credentials", file.toString()));
        parts.backing()
                .lake()
                .map(S3Server::accessLog)
                .ifPresent(file -> entries.put("lake.access-log", file.toString()));
        entries.put("manifest-bucket", config.manifestBucket());
        entries.put("mount-root", layout.mountRoot().toString());
        entries.put(REGIONS, String.join(",", config.regions()));
        for (Region region : parts.regions()) {
            String prefix = region.name() + ".";
            entries.put(prefix + "agent", region.agent().address().toString());
            List<QuarkusProcess> workers = region.workers();
            for (int i = 0; i < workers.size(); i++) {
                entries.put(prefix + "worker-" + i, workers.get(i).address().toString());
                entries.put(
                        prefix + "worker-" + i + ".store",
                        layout.worker(region.name(), i).resolve("store").toString());
            }
            entries.put(prefix + "mount", region.mountpoint().toString());
            entries.put(prefix + "fuse-metrics", region.fuse().metrics().toString());
        }
        return new Addresses(entries);
    }

    static Optional<Addresses> read(Path file) {
        try (Reader reader = Files.newBufferedReader(file)) {
            Properties properties = new Properties();
            properties.load(reader);
            Map<String, String> entries = new LinkedHashMap<>();
            properties
                    .stringPropertyNames()
                    .forEach(name -> entries.put(name, properties.getProperty(name, "")));
            return Optional.of(new Addresses(entries));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void write(Path file) {
        Path unfinished = file.resolveSibling(file.getFileName() + ".unfinished");
        Properties properties = new Properties();
        properties.putAll(entries);
        try {
            try (Writer writer = Files.newBufferedWriter(unfinished)) {
                properties.store(writer, null);
            }
            Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns an address by its name. */
    public Optional<String> get(String name) {
        return Optional.ofNullable(entries.get(name));
    }

    /** Returns the names of the regions. */
    public List<String> regions() {
        return get(REGIONS).map(names -> List.of(names.split(",", -1))).orElse(List.of());
    }

    /** Returns all addresses as a JSON object of strings. */
    public String toJson() {
        StringBuilder json = new StringBuilder("{");
        new TreeMap<>(entries)
                .forEach(
                        (name, value) ->
                                json.append(json.length() == 1 ? "" : ", ")
                                        .append(quote(name))
                                        .append(": ")
                                        .append(quote(value)));
        return json.append("}").toString();
    }

    private static String quote(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }
}
