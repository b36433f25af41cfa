package dev.forebay.devstack.fault;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A program of a test, in a Java process of its own that is killed while it works. */
public final class VictimProcess {

    private static final int READY = '!';

    private VictimProcess() {}

    /** Called by the program once it has done what the test relies on. */
    public static void ready() {
        System.out.write(READY);
        System.out.flush();
    }

    /**
     * Runs a program until it is {@link #ready} and for some time more, and kills it. Its errors
     * are printed as this process's.
     *
     * @param program with a {@code main} that does not end, on this process's class path
     * @throws IllegalStateException if it ends by itself
     */
    public static void killAfter(Duration time, Class<?> program, String... arguments)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(ProcessHandle.current().info().command().orElseThrow());
        command.add("--enable-native-access=ALL-UNNAMED");
        command.add("-cp");
        command.add(System.getProperty("java.class.path"));
        command.add(program.getName());
        command.addAll(List.of(arguments));
        Process victim =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        try (InputStream output = victim.getInputStream()) {
            if (output.read() != READY || victim.waitFor(time.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new IllegalStateException(program.getName() + " has ended by itself");
            }
        } finally {
            victim.destroyForcibly().waitFor();
        }
    }
}
