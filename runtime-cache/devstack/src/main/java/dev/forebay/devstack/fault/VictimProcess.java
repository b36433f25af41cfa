package dev.forebay.devstack.fault;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.Charset;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A program of a test, in a Java process of its own that is killed while it works. */
public final class VictimProcess {

    /** ASCII's acknowledgement: in nothing that a virtual machine prints. */
    private static final int READY = 6;

    private VictimProcess() {}

    /** Called by the program once it has done what the test relies on. */
    public static void ready() {
        System.out.write(READY);
        System.out.flush();
    }

    /**
     * Runs a program until it is {@link #ready} and for some time more, and kills it. Its errors
     * are printed as this process's; what else it prints before it is ready, as a virtual machine
     * may with a warning, is passed over.
     *
     * @param program with a {@code main} that does not end, on this process's class path
     * @throws IllegalStateException if it ends by itself; says with what status, and what it
     *     printed
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
                // Its output ends before it does.
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

    /** Whether it ever is; what is printed before that is kept. */
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
