package dev.forebay.benchmarks.measure;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Measures the live objects in the heap of another JVM by this JDK's {@code jcmd}. */
public final class LiveHeap {

    /** The last line of a histogram. */
    private static final Pattern TOTAL = Pattern.compile("Total +\\d+ +(\\d+)");

    private LiveHeap() {}

    /** Makes the JVM run a full collection, and returns the bytes of the remaining objects. */
    public static long of(long pid) throws IOException, InterruptedException {
        String histogram = histogram(pid);
        Matcher total = TOTAL.matcher(histogram);
        if (!total.find()) {
            throw new IOException("no total in the histogram of process " + pid);
        }
        return Long.parseLong(total.group(1));
    }

    private static String histogram(long pid) throws IOException, InterruptedException {
        Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
        Process process =
                new ProcessBuilder(jcmd.toString(), Long.toString(pid), "GC.class_histogram")
                        .redirectErrorStream(true)
                        .start();
        try {
            String printed =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new IOException(printed);
            }
            return printed;
        } finally {
            process.destroy();
        }
    }
}
