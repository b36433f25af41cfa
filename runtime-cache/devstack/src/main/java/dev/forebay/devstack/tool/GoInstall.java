package dev.forebay.devstack.tool;

import dev.forebay.devstack.DevstackException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Builds a program by {@code go install}, which needs a module without replace directives.
 *
 * @param program the package of the program
 * @param version its module's version
 */
record GoInstall(String program, String version) implements Recipe {
    /** Omit debug information, which is a tenth of the compiler's work. */
    static final List<String> FLAGS =
            List.of("-trimpath", "-ldflags=-s -w", "-gcflags=all=-dwarf=false");

    /** Lets each compiler process grow instead of collecting garbage: a tenth less CPU. */
    private static final String GARBAGE_COLLECTION_PERCENT = "400";

    @Override
    public void obtain(Machine machine, Path into, Path log) {
        Map<String, String> environment = new HashMap<>(environment(""));
        environment.put("GOBIN", into.toString());
        List<String> install = new ArrayList<>(List.of(go(machine).toString(), "install"));
        install.addAll(FLAGS);
        install.add(program + "@" + version);
        Command.run(into, environment, log, install);
    }

    /** Returns the environment for the build of any Go program. */
    static Map<String, String> environment(String goFlags) {
        return Map.of("CGO_ENABLED", "0", "GOFLAGS", goFlags, "GOGC", GARBAGE_COLLECTION_PERCENT);
    }

    static Path go(Machine machine) {
        return machine.program("go")
                .orElseThrow(
                        () ->
                                new DevstackException(
                                        "it is built with Go, but there is no go on PATH or in "
                                                + "/usr/local/go/bin. Install Go 1.25 or later from "
                                                + "https://go.dev/dl"));
    }
}
