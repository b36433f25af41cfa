package dev.forebay.devstack.fault;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.Charset;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs a test's program in a JVM of its own, and kills it while it works. */
public final class VictimProcess {

    /** ASCII's acknowledgement, which occurs in nothing that a JVM prints. */
    private static final int READY = 6;

    private VictimProcess() {}

    /**
     * Reports that the program has done everything that the test relies on. The program calls it.
     */
    public static void ready() {
        System.out.write(READY);
        System.out.flush();
    }

    /**
     * Runs a program until it is {@link #ready} and for some time more, and kills it. Standard
     * error is that of this process. Output before the program is ready, such as a warning of the
     * JVM, is ignored.
     *
     * @param program with a {@code main} that does not end, on this process's class path
     * @throws IllegalStateException with the status and the output, if the program ends by itself
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
            ByteArrayOutputStream printed = new ByteArrayOutputStream();
            boolean ready = untilReady(output, printed);
            if (!ready) {
                // The output ends before the process does.
                victim.waitFor();
            }
            if (victim.waitFor(time.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new IllegalStateException(
                        "%s has ended by itself with status %d; it printed '%s'"
                                .formatted(
                                        program.getName(),
                                        victim.exitValue(),
                                        printed.toString(Charset.defaultCharset())));
            }
        } finally {
            victim.destroyForcibly().waitFor();
        }
    }

    /** Returns whether the program became ready, and collects its output before that. */
    private static boolean untilReady(InputStream output, ByteArrayOutputStream printed)
            throws IOException {
        int next = output.read();
        while (next != READY && next >= 0) {
            printed.write(next);
            next = output.read();
        }
        return next == READY;
    }
}
