package dev.forebay.benchmarks.measure;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/** The facts about the machine and its load that a reader of the results needs. */
public final class MachineFacts {

    private static final Path BALLOONS = Path.of("/sys/bus/virtio/drivers/virtio_balloon");
    private static final int REPORTING = 5;

    private MachineFacts() {}

    /** Returns the present facts in the order to write them. Benchmarks add their own. */
    public static Map<String, Object> atStart() throws IOException {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("at", Instant.now().toString());
        all.put("cpus", Runtime.getRuntime().availableProcessors());
        all.put("kernel", System.getProperty("os.version"));
        all.put("java", Runtime.version().toString());
        all.put("free_page_reporting", givesFreeMemoryBack());
        all.put("load_average_at_start", loadAverage());
        return all;
    }

    public static void atEnd(Map<String, Object> all) throws IOException {
        all.put("load_average_at_end", loadAverage());
    }

    /**
     * Returns whether this guest gives free memory back to its host within seconds. A program that
     * uses such pages again waits for the host, page by page. This is the feature
     * VIRTIO_BALLOON_F_REPORTING of the virtio specification 1.2, 5.5.3.
     */
    private static boolean givesFreeMemoryBack() throws IOException {
        if (!Files.isDirectory(BALLOONS)) {
            return false;
        }
        try (DirectoryStream<Path> devices = Files.newDirectoryStream(BALLOONS, "virtio*")) {
            for (Path device : devices) {
                if (Files.readString(device.resolve("features")).charAt(REPORTING) == '1') {
                    return true;
                }
            }
            return false;
        }
    }

    private static String loadAverage() throws IOException {
        return Files.readString(Path.of("/proc/loadavg")).strip();
    }
}
