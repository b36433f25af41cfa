package dev.forebay.devstack.stack;

import dev.forebay.devstack.DevstackException;
import dev.forebay.devstack.program.JavaCommand;
import dev.forebay.devstack.program.Program;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The repository whose built programs a stack runs.
 *
 * @param root its directory
 */
public record Repository(Path root) {
    /**
     * Returns the repository that {@code FOREBAY_HOME} names, else that of the current directory.
     */
    public static Repository current() {
        String home = System.getenv("FOREBAY_HOME");
        if (home != null) {
            return new Repository(Path.of(home).toAbsolutePath());
        }
        for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
            if (Files.exists(at.resolve("mvnw")) && Files.exists(at.resolve("runtime-cache"))) {
                return new Repository(at);
            }
        }
        throw new DevstackException(
                "this is not within a clone of Forebay: go there, or set FOREBAY_HOME to it");
    }

    /** Returns a command that starts a program, for more options. */
    public JavaCommand command(Program program) {
        return JavaCommand.of(program, jar(program));
    }

    /** Returns the jar of a program. */
    Path jar(Program program) {
        Path jar = program.jar(root);
        if (!Files.exists(jar)) {
            throw new DevstackException("%s is not there: run 'make build' first".formatted(jar));
        }
        return jar;
    }
}
