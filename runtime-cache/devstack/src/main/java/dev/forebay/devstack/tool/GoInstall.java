package dev.forebay.devstack.tool;

import dev.forebay.devstack.DevstackException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * {@code go install}: for modules without replace directives.
 *
 * @param program the package of the program
 * @param version its module's version
 */
record GoInstall(String program, String version) implements Recipe {
    static final List<String> FLAGS = List.of("-trimpath", "-ldflags", "-s -w");

    @Override
    public void obtain(Machine machine, Path into, Path log) {
        Path go = go(machine);
        Command.run(
                into,
                Map.of("GOBIN", into.toString(), "CGO_ENABLED", "0", "GOFLAGS", ""),
                log,
                List.of(
                        go.toString(),
                        "install",
                        FLAGS.get(0),
                        FLAGS.get(1),
                        FLAGS.get(2),
                        program + "@" + version));
    }

    static Path go(Machine machine) {
        return machine.program("go")
                .orElseThrow(
                        () ->
                                new DevstackException(
                                        "it is built with Go, and there is no go on PATH or in"
                                                + " /usr/local/go/bin. Get Go 1.25 or later from"
                                                + " https://go.dev/dl"));
    }
}
