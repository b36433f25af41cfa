package dev.forebay.images;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.forebay.devstack.server.Launch;
import dev.forebay.devstack.server.Readiness;
import dev.forebay.devstack.server.ServerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * An image with its layers unpacked one after the other. It starts like a container: with the
 * image's entry point, user and environment, in its own root and mount namespace. It shares this
 * machine's network and processes.
 *
 * @param root its file system
 * @param config its configuration
 */
record UnpackedImage(Path root, JsonNode config) {

    private static final JsonMapper JSON = new JsonMapper();

    /**
     * Makes the root read-only and its volumes writable, as the chart does, in a mount namespace
     * that ends with the process.
     */
    private static final String READ_ONLY =
            """
            root=$1; shift
            mount --bind "$root" "$root"
            for volume in tmp work disks mnt; do
              if [ -d "$root/$volume" ]; then mount --bind "$root/$volume" "$root/$volume"; fi
            done
            mount -o remount,bind,ro "$root"
            exec "$@"
            """;

    /** Unpacks an archive as root below an empty directory. */
    static UnpackedImage of(Path archive, Path directory) throws Exception {
        Path files = Files.createDirectory(directory.resolve("archive"));
        Path root = Files.createDirectory(directory.resolve("root"));
        Command.run(files, List.of("tar", "-xf", archive.toString()));
        JsonNode manifest = JSON.readTree(files.resolve("manifest.json").toFile()).get(0);
        for (JsonNode layer : manifest.get("Layers")) {
            Command.run(
                    root,
                    List.of(
                            "tar",
                            "-xzpf",
                            files.resolve(layer.asText()).toString(),
                            "--numeric-owner",
                            "--same-owner"));
        }
        JsonNode config =
                JSON.readTree(files.resolve(manifest.get("Config").asText()).toFile())
                        .get("config");
        Directories.delete(files);
        UnpackedImage image = new UnpackedImage(root, config);
        image.addDevices();
        return image;
    }

    /** Adds the devices that a container engine adds to every container, and to privileged ones. */
    private void addDevices() throws Exception {
        Path dev = Files.createDirectories(root.resolve("dev"));
        Files.createDirectories(root.resolve("proc"));
        Map<String, List<String>> devices =
                Map.of(
                        "null", List.of("1", "3"),
                        "zero", List.of("1", "5"),
                        "random", List.of("1", "8"),
                        "urandom", List.of("1", "9"),
                        "fuse", List.of("10", "229"));
        for (Map.Entry<String, List<String>> device : devices.entrySet()) {
            Command.run(
                    dev,
                    List.of(
                            "mknod",
                            "-m",
                            "666",
                            device.getKey(),
                            "c",
                            device.getValue().get(0),
                            device.getValue().get(1)));
        }
    }

    String user() {
        return config.get("User").asText();
    }

    /** Starts the image's entry point, and returns when it is ready. */
    ServerProcess start(
            String name,
            Path directory,
            List<String> arguments,
            Map<String, String> environment,
            Readiness ready) {
        List<String> command = entrypoint();
        command.addAll(arguments);
        return ServerProcess.start(
                Launch.of(
                        name,
                        directory,
                        isolated(command, environment),
                        Map.of(),
                        ready,
                        Launch.Lifetime.THIS_JVM));
    }

    /** Returns the output of the entry point with any exit code. The limit is a minute. */
    String output(List<String> arguments, Map<String, String> environment)
            throws IOException, InterruptedException {
        List<String> command = entrypoint();
        command.addAll(arguments);
        return outputOf(command, environment);
    }

    /** Returns the output of a program of the image. */
    String outputOf(List<String> command, Map<String, String> environment)
            throws IOException, InterruptedException {
        Path output = Files.createTempFile("forebay-image", ".out");
        Process process =
                new ProcessBuilder(isolated(command, environment))
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile())
                        .start();
        try {
            if (!process.waitFor(Duration.ofMinutes(1).toSeconds(), TimeUnit.SECONDS)) {
                throw new IOException(command + " does not end: " + Files.readString(output));
            }
            return Files.readString(output);
        } finally {
            process.destroyForcibly();
            Files.delete(output);
        }
    }

    private List<String> entrypoint() {
        List<String> command = new ArrayList<>();
        config.get("Entrypoint").forEach(word -> command.add(word.asText()));
        return command;
    }

    private List<String> isolated(List<String> command, Map<String, String> more) {
        Map<String, String> environment = new HashMap<>();
        config.get("Env")
                .forEach(
                        variable -> {
                            String[] parts = variable.asText().split("=", 2);
                            environment.put(parts[0], parts[1]);
                        });
        environment.putAll(more);
        String[] user = user().split(":", 2);
        // Uses the 'env' of this machine, because images have none.
        List<String> all = new ArrayList<>(List.of("env", "-i"));
        environment.forEach((name, value) -> all.add(name + "=" + value));
        all.addAll(
                List.of(
                        "/usr/bin/unshare",
                        "--mount",
                        "/bin/sh",
                        "-ec",
                        READ_ONLY,
                        "sh",
                        root.toString(),
                        "/usr/bin/unshare",
                        "--root=" + root,
                        "--wd=" + config.get("WorkingDir").asText(),
                        "--mount-proc",
                        "--setgid",
                        user[1],
                        "--setuid",
                        user[0]));
        all.addAll(command);
        return all;
    }
}
