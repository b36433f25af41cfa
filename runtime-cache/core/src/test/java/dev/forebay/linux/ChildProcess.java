package dev.forebay.linux;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Runs a main method in a child process, in a given language. */
public final class ChildProcess {

    private ChildProcess() {}

    /** Returns the output of a class, in English. */
    public static String inEnglish(Class<?> main, Object... arguments) throws IOException {
        return run(Map.of("LC_ALL", "C"), List.of(), main, arguments);
    }

    /**
     * Returns the output of a class, in German. Skips the test if German is not available.
     *
     * @param directory for the locale
     */
    public static String inGerman(Path directory, Class<?> main, Object... arguments)
            throws IOException, InterruptedException {
        assumeTrue(
                Files.exists(Path.of("/usr/share/locale/de/LC_MESSAGES/libc.mo")),
                "the C library has no German messages here");
        Path locale = directory.resolve("de_DE.UTF-8");
        int exit =
                new ProcessBuilder("localedef", "-i", "de_DE", "-f", "UTF-8", locale.toString())
                        .start()
                        .waitFor();
        // 1 means warnings.
        assumeTrue(exit <= 1 && Files.exists(locale), "cannot make a German locale here");
        return run(
                Map.of("LC_ALL", "de_DE.UTF-8", "LOCPATH", directory.toString()),
                List.of(),
                main,
                arguments);
    }

    /** Returns the output of a class in a JVM with these options. */
    public static String with(List<String> options, Class<?> main, Object... arguments)
            throws IOException {
        return run(Map.of(), options, main, arguments);
    }

    private static String run(
            Map<String, String> environment,
            List<String> options,
            Class<?> main,
            Object... arguments)
            throws IOException {
        List<String> command =
                new ArrayList<>(
                        List.of(
                                ProcessHandle.current().info().command().orElseThrow(),
                                "--enable-native-access=ALL-UNNAMED",
                                // Suppress the warning that no logging provider was found.
                                "-Dslf4j.internal.verbosity=ERROR"));
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        for (Object argument : arguments) {
            command.add(argument.toString());
        }
        ProcessBuilder process =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
        process.environment().putAll(environment);
        return new String(process.start().getInputStream().readAllBytes(), UTF_8);
    }
}
