package dev.forebay.devstack.tool;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Builds a Go program that {@code go install} refuses because its module has replace directives. It
 * builds from a small module that requires the program's module.
 *
 * @param module the module, which is also the program's package
 * @param version its version
 * @param name of the built program
 */
record GoModule(String module, String version, String name) implements Recipe {
    @Override
    public void obtain(Machine machine, Path into, Path log) {
        String go = GoInstall.go(machine).toString();
        Map<String, String> environment = GoInstall.environment("-mod=mod");
        try {
            Path source = Files.createDirectory(into.resolve("source"));
            Command.run(source, environment, log, List.of(go, "mod", "init", "obtain"));
            Command.run(source, environment, log, List.of(go, "get", module + "@" + version));
            List<String> build = new ArrayList<>(List.of(go, "build"));
            build.addAll(GoInstall.FLAGS);
            build.addAll(List.of("-o", into.resolve(name).toString(), module));
            Command.run(source, environment, log, build);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
