package dev.forebay.benchmarks;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/** What else a reader of figures must know: the machine, and how busy it was. */
final class Circumstances {

    private static final Path BALLOONS = Path.of("/sys/bus/virtio/drivers/virtio_balloon");
    private static final int REPORTING = 5;

    private Circumstances() {}

    /** Those of now, in the order to write them; add what is particular to the benchmark. */
    static Map<String, Object> atStart() throws IOException {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("at", Instant.now().toString());
        all.put("cpus", Runtime.getRuntime().availableProcessors());
        all.put("kernel", System.getProperty("os.version"));
        all.put("java", Runtime.version().toString());
        all.put("free_page_reporting", givesFreeMemoryBack());
        all.put("load_average_at_start", loadAverage());
        return all;
    }

    static void atEnd(Map<String, Object> all) throws IOException {
        all.put("load_average_at_end", loadAverage());
    }

    /**
     * Whether this is a guest that gives memory back to its host within seconds after it became
     * free: then whoever fills pages that were free for longer waits for the host, page by page.
     * The feature VIRTIO_BALLOON_F_REPORTING of the virtio specification 1.2, 5.5.3.
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
