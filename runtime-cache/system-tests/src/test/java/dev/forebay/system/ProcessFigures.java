package dev.forebay.system;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What a JVM takes of its machine. */
final class ProcessFigures {

    /** A figure, and by how much it may grow where 5 % are less. */
    enum Figure {
        RSS_KIB(16 << 10),
        LIVE_HEAP_KIB(4 << 10),
        DESCRIPTORS(8),
        THREADS(4);

        final long slack;

        Figure(long slack) {
            this.slack = slack;
        }
    }

    /** Once for each generation of the serial collector. */
    private static final Pattern USED = Pattern.compile("total +\\d+K, used (\\d+)K");

    private ProcessFigures() {}

    /** The figures of a process now; what lives in its heap is what a full collection leaves. */
    static Map<Figure, Long> of(long pid) throws IOException, InterruptedException {
        Path process = Path.of("/proc", Long.toString(pid));
        Map<Figure, Long> figures = new EnumMap<>(Figure.class);
        jcmd(pid, "GC.run");
        Matcher used = USED.matcher(jcmd(pid, "GC.heap_info"));
        long heap = 0;
        while (used.find()) {
            heap += Long.parseLong(used.group(1));
        }
        figures.put(Figure.LIVE_HEAP_KIB, heap);
        String status = Files.readString(process.resolve("status"));
        figures.put(Figure.RSS_KIB, field(status, "VmRSS"));
        figures.put(Figure.THREADS, field(status, "Threads"));
        try (Stream<Path> open = Files.list(process.resolve("fd"))) {
            figures.put(Figure.DESCRIPTORS, open.count());
        }
        return figures;
    }

    private static long field(String status, String name) {
        Matcher field = Pattern.compile(name + ":\\s+(\\d+)").matcher(status);
        if (!field.find()) {
            throw new IllegalStateException("no " + name);
        }
        return Long.parseLong(field.group(1));
    }

    /** What the threads of a process are doing. */
    static String threads(long pid) throws IOException, InterruptedException {
        return jcmd(pid, "Thread.print");
    }

    private static String jcmd(long pid, String command) throws IOException, InterruptedException {
        Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
        Process process =
                new ProcessBuilder(jcmd.toString(), Long.toString(pid), command)
                        .redirectErrorStream(true)
                        .start();
        String printed =
                new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException(command + ": " + printed);
        }
        return printed;
    }
}
