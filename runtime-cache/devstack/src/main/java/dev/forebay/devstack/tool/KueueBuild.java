package dev.forebay.devstack.tool;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Kueue's controller, and the CRDs from its module.
 *
 * @param version of the module
 */
record KueueBuild(String version) implements Recipe {
    private static final String MODULE = "sigs.k8s.io/kueue";
    private static final String DEFINITIONS = "config/components/crd/bases";

    @Override
    public void obtain(Machine machine, Path into, Path log) {
        new GoInstall(MODULE + "/cmd/kueue", version).obtain(machine, into, log);
        try {
            Path definitions = Files.createDirectory(into.resolve("crds"));
            try (DirectoryStream<Path> files =
                    Files.newDirectoryStream(
                            module(machine, into).resolve(DEFINITIONS), "*.yaml")) {
                for (Path file : files) {
                    Files.copy(file, definitions.resolve(file.getFileName()));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the folder where Go keeps the sources of the installed program. */
    private Path module(Machine machine, Path into) throws IOException {
        String go = GoInstall.go(machine).toString();
        Map<String, String> environment = Map.of("GOFLAGS", "-mod=mod");
        Path source = Files.createDirectory(into.resolve("source"));
        Path answer = source.resolve("module.path");
        Command.run(source, environment, answer, List.of(go, "mod", "init", "obtain"));
        Command.run(
                source,
                environment,
                answer,
                List.of(go, "list", "-m", "-f", "{{.Dir}}", MODULE + "@" + version));
        return Path.of(Files.readAllLines(answer).getLast());
    }
}
