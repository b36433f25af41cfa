package dev.forebay.devstack.tool;

import dev.forebay.devstack.DevstackException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * Builds the servers of Kubernetes from their Go module. The module's replace directives, which Go
 * ignores outside the module itself, point into its staging area. The same code is published as
 * modules whose version 0.x belongs to Kubernetes 1.x. The build requires those instead.
 *
 * @param minor 34 for Kubernetes 1.34
 * @param patch the third number
 */
record KubernetesBuild(int minor, int patch) implements Recipe {
    private static final String MODULE = "k8s.io/kubernetes";
    private static final List<String> PROGRAMS =
            List.of("kube-apiserver", "kube-controller-manager", "kube-scheduler");
    private static final Pattern STAGED =
            Pattern.compile("^\\s*(k8s\\.io/\\S+) => \\./staging/", Pattern.MULTILINE);

    String version() {
        return "1.%d.%d".formatted(minor, patch);
    }

    @Override
    public void obtain(Machine machine, Path into, Path log) {
        String go = GoInstall.go(machine).toString();
        Map<String, String> environment = GoInstall.environment("-mod=mod");
        try {
            Path source = Files.createDirectory(into.resolve("source"));
            Command.run(source, environment, log, List.of(go, "mod", "init", "obtain"));
            List<String> edit = new ArrayList<>(List.of(go, "mod", "edit"));
            for (String module : staged(go, source, environment)) {
                edit.add("-replace=%s=%s@v0.%d.%d".formatted(module, module, minor, patch));
            }
            edit.add("-require=%s@v%s".formatted(MODULE, version()));
            Command.run(source, environment, log, edit);
            List<String> build = new ArrayList<>(List.of(go, "build"));
            build.addAll(GoInstall.FLAGS);
            // Overrides the -ldflags in FLAGS: the last flag counts.
            build.add("-ldflags=" + flags());
            build.addAll(List.of("-o", into.toString()));
            PROGRAMS.forEach(program -> build.add(MODULE + "/cmd/" + program));
            Command.run(source, environment, log, build);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Returns linker flags with the version, because clients compare versions. Without them the
     * servers report v0.0.0.
     */
    private String flags() {
        String set = "-X k8s.io/component-base/version.";
        return "-s -w %sgitVersion=v%s %sgitMajor=1 %sgitMinor=%d"
                .formatted(set, version(), set, set, minor);
    }

    private List<String> staged(String go, Path source, Map<String, String> environment)
            throws IOException {
        Path answer = source.resolve("go.mod.path");
        Command.run(
                source,
                environment,
                answer,
                List.of(go, "list", "-m", "-f", "{{.GoMod}}", MODULE + "@v" + version()));
        // Messages about downloads may precede the answer.
        Path directives = Path.of(Files.readAllLines(answer).getLast());
        List<String> staged =
                STAGED.matcher(Files.readString(directives))
                        .results()
                        .map((MatchResult match) -> match.group(1))
                        .toList();
        if (staged.isEmpty()) {
            throw new DevstackException("no staged modules in " + directives);
        }
        return staged;
    }
}
