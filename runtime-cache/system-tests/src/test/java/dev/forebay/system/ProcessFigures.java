package dev.forebay.system;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Resource usage of a JVM process. */
final class ProcessFigures {

    /** A figure, with the growth that is allowed if 5 % would be less. */
    enum Figure {
        ANONYMOUS_KIB(16 << 10),
        LIVE_HEAP_KIB(4 << 10),
        DESCRIPTORS(8),
        THREADS(4);

        final long slack;

        Figure(long slack) {
            this.slack = slack;
        }
    }

    /** The last line of a class histogram. */
    private static final Pattern TOTAL = Pattern.compile("Total +\\d+ +(\\d+)");

    /** The format in which a JVM prints the time of day. */
    private static final Pattern STAMP =
            Pattern.compile("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}[+-]\\d{4}");

    private static final DateTimeFormatter STAMPED =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSxx", Locale.ROOT);

    private static final long KIB = 1024;

    private ProcessFigures() {}

    /**
     * Returns the figures of a process. The live heap is measured after a full collection. Pages of
     * files, such as class archives, do not count, because the kernel can reclaim them.
     */
    static Map<Figure, Long> of(long pid) throws IOException, InterruptedException {
        Path process = Path.of("/proc", Long.toString(pid));
        Map<Figure, Long> figures = new EnumMap<>(Figure.class);
        Matcher total = TOTAL.matcher(jcmd(pid, "GC.class_histogram"));
        if (!total.find()) {
            throw new IllegalStateException("no total in the histogram of " + pid);
        }
        figures.put(Figure.LIVE_HEAP_KIB, Long.parseLong(total.group(1)) / KIB);
        String status = Files.readString(process.resolve("status"));
        figures.put(Figure.ANONYMOUS_KIB, field(status, "RssAnon"));
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

    /** Returns the time of day according to a process, in whole milliseconds. */
    static Instant clock(long pid) throws IOException, InterruptedException {
        Matcher stamp = STAMP.matcher(jcmd(pid, "VM.uptime -date"));
        if (!stamp.find()) {
            throw new IllegalStateException("no time of day from " + pid);
        }
        return OffsetDateTime.parse(stamp.group(), STAMPED).toInstant();
    }

    /** Returns a thread dump of a process. */
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
