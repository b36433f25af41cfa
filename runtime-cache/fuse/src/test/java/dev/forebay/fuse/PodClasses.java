package dev.forebay.fuse;

import dev.forebay.fuse.HeldMountFixture.Running;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An archive of the classes of pods, made once for all tests of this JVM: half of a pod's start is
 * to load them.
 */
final class PodClasses {

    /** One that ends in peace leaves the archive that the next ones start with. */
    private static final String KEEPS_CLASSES = "-XX:+AutoCreateSharedArchive";

    private static @Nullable Path archive;

    private PodClasses() {}

    /** What the JVM of a pod is told so that it takes its classes from there. */
    static synchronized List<String> options() throws Exception {
        Path made = archive;
        if (made == null) {
            made = make();
            archive = made;
        }
        return options(made);
    }

    /** Of an archive of one's own. */
    static List<String> options(Path file) {
        return List.of(KEEPS_CLASSES, "-XX:SharedArchiveFile=" + file);
    }

    /** Each JVM that the build runs tests in meanwhile has its own. */
    private static Path make() throws Exception {
        String process = System.getProperty("forebay.test.fork", "1");
        Path file = Path.of("target", "pod-classes-%s.jsa".formatted(process)).toAbsolutePath();
        Files.deleteIfExists(file);
        Path directory = Files.createTempDirectory("forebay-pod-classes-");
        try (HeldMountFixture region = new HeldMountFixture(directory, options(file))) {
            Running holder = region.holder();
            Running pod = region.serving(holder, "pod-0", "--view=portable");
            TestDataset.assertShows(region.root(), CheckingReader.objects());
            int _ = pod.stop();
            int _ = holder.stop();
        }
        delete(directory);
        return file;
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }
}
