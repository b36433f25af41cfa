package dev.forebay.chart;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.forebay.devstack.program.JavaCommand;
import dev.forebay.devstack.program.Program;
import dev.forebay.devstack.server.Launch;
import dev.forebay.devstack.server.Ports;
import dev.forebay.devstack.server.Readiness;
import dev.forebay.devstack.server.ServerProcess;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.KeyToPath;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Starts containers of a release as processes of this machine, each with the arguments, environment
 * and files that it would have in a cluster. Paths differ, because they are below one directory,
 * and addresses are on loopback.
 */
final class Kubelet implements AutoCloseable {

    private static final Path REPOSITORY = Path.of("..");

    private final Release release;
    private final Path directory;
    private final Map<String, String> secrets;
    private final Map<String, Integer> ports = new HashMap<>();
    private final Deque<ServerProcess> running = new ArrayDeque<>();

    /**
     * @param secrets the content of Secrets: by {@code secret/key}
     */
    Kubelet(Release release, Path directory, Map<String, String> secrets) {
        this.release = release;
        this.directory = directory;
        this.secrets = Map.copyOf(secrets);
    }

    /** Returns the local path for a path of a node. */
    Path onNode(String path) {
        return directory.resolve("node" + path);
    }

    /** Returns the local address of a container's port. */
    URI address(String component, String container) {
        return URI.create("http://127.0.0.1:" + port(component, container));
    }

    private int port(String component, String container) {
        return ports.computeIfAbsent(component + "/" + container, _ -> Ports.free());
    }

    /** Starts a container, and returns when it reports that it is ready. */
    void start(String component, String name, Program program) throws IOException {
        Container container = release.container(component, name);
        String path = container.getReadinessProbe().getHttpGet().getPath();
        Readiness ready = Readiness.ok(address(component, name).resolve(path));
        Path home = Files.createDirectories(directory.resolve(component).resolve(name));
        Map<String, Path> volumes = volumes(component, container, home);
        List<String> command = JavaCommand.of(program, program.jar(REPOSITORY)).build();
        command.addAll(container.getArgs());
        running.push(
                ServerProcess.start(
                        Launch.of(
                                name,
                                home,
                                command,
                                environment(component, container, volumes),
                                ready,
                                Launch.Lifetime.THIS_JVM)));
    }

    private Map<String, String> environment(
            String component, Container container, Map<String, Path> volumes) {
        Map<String, String> environment = new HashMap<>();
        for (EnvVar variable : container.getEnv()) {
            environment.put(
                    variable.getName(),
                    here(component, container, volumes, value(variable, environment)));
        }
        // It names a file of the image. Here the command line names the cache.
        environment.remove("JDK_JAVA_OPTIONS");
        String port = Integer.toString(port(component, container.getName()));
        environment.put("QUARKUS_HTTP_PORT", port);
        environment.computeIfPresent("FOREBAY_FUSE_METRICS_PORT", (_, _) -> port);
        environment.computeIfPresent("FOREBAY_FUSE_HEALTH_PORT", (_, _) -> port);
        return environment;
    }

    private String value(EnvVar variable, Map<String, String> before) {
        if (variable.getValueFrom() == null) {
            String value = variable.getValue();
            for (Map.Entry<String, String> other : before.entrySet()) {
                value = value.replace("$(" + other.getKey() + ")", other.getValue());
            }
            return value;
        }
        var secret = variable.getValueFrom().getSecretKeyRef();
        return secret == null
                ? "127.0.0.1"
                : Objects.requireNonNull(secrets.get(secret.getName() + "/" + secret.getKey()));
    }

    /** Creates the volumes of a container, and returns the local path for each of its mounts. */
    private Map<String, Path> volumes(String component, Container container, Path home)
            throws IOException {
        Map<String, Volume> declared = new HashMap<>();
        release.pod(component)
                .getSpec()
                .getVolumes()
                .forEach(volume -> declared.put(volume.getName(), volume));
        Map<String, Path> places = new HashMap<>();
        for (VolumeMount mount : container.getVolumeMounts()) {
            Volume volume = declared.getOrDefault(mount.getName(), new Volume());
            Path place =
                    volume.getHostPath() == null
                            ? home.resolve(mount.getName())
                            : onNode(volume.getHostPath().getPath());
            Files.createDirectories(place);
            places.put(mount.getMountPath(), place);
            if (volume.getSecret() != null) {
                for (KeyToPath item : volume.getSecret().getItems()) {
                    String key = volume.getSecret().getSecretName() + "/" + item.getKey();
                    Files.writeString(
                            place.resolve(item.getPath()),
                            Objects.requireNonNull(secrets.get(key)));
                }
            }
        }
        for (Map.Entry<String, Path> place : List.copyOf(places.entrySet())) {
            if (place.getKey().equals("/etc/forebay/settings")) {
                settings(component, container, places, place.getValue());
            }
        }
        return places;
    }

    private void settings(
            String component, Container container, Map<String, Path> volumes, Path place)
            throws IOException {
        for (Map.Entry<String, String> file :
                release.one(ConfigMap.class, component).getData().entrySet()) {
            Files.writeString(
                    place.resolve(file.getKey()),
                    here(component, container, volumes, file.getValue()),
                    UTF_8);
        }
    }

    /** Replaces the paths and addresses in a text of the release by local ones. */
    private String here(
            String component, Container container, Map<String, Path> volumes, String text) {
        String here =
                text.replace("0.0.0.0", "127.0.0.1")
                        .replace(":7400", ":" + port(component, container.getName()))
                        .replaceAll(
                                "http://r-forebay-agent\\.ml\\.svc:8080",
                                address("agent", "agent").toString());
        // In one pass, because a replacement may begin with another path.
        String paths =
                volumes.keySet().stream()
                        .sorted(Comparator.comparing(String::length).reversed())
                        .map(Pattern::quote)
                        .collect(Collectors.joining("|", "(?m)(?<=[=,]|^)(?:", ")(?=/|,|$)"));
        return Pattern.compile(paths)
                .matcher(here)
                .replaceAll(
                        path ->
                                Matcher.quoteReplacement(
                                        Objects.requireNonNull(volumes.get(path.group()))
                                                .toString()));
    }

    @Override
    public void close() {
        while (!running.isEmpty()) {
            running.pop().close();
        }
    }
}
