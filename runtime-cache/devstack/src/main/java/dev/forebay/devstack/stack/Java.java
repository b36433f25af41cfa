package dev.forebay.devstack.stack;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** How our own processes are started: the JDK that runs this, small heaps, a quick start. */
final class Java {
    private static final Path PROGRAM =
            Path.of(System.getProperty("java.home"), "bin", "java").toAbsolutePath();

    private Java() {}

    /**
     * The command that runs a jar.
     *
     * @param heapMegabytes the most the heap may grow to
     * @param more further options of the JVM
     */
    static List<String> run(Path jar, int heapMegabytes, List<String> more) {
        List<String> command = new ArrayList<>();
        command.add(PROGRAM.toString());
        command.add("-Xmx" + heapMegabytes + "m");
        // Nine JVMs on two cores: one thread of collection each, and no time spent on sizing.
        command.add("-XX:+UseSerialGC");
        command.add("--enable-native-access=ALL-UNNAMED");
        command.add("--sun-misc-unsafe-memory-access=allow");
        command.addAll(more);
        command.add("-jar");
        command.add(jar.toString());
        return command;
    }
}
