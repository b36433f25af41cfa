package dev.forebay.images;

import com.google.cloud.tools.jib.api.buildplan.FileEntriesLayer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * A trained program as three layers: what others wrote, which stays from release to release; what
 * is ours; and its AOT caches, which differ each time they are made.
 */
final class Application {

    /** Where it is in an image. */
    static final String PLACE = "/opt/forebay";

    private Application() {}

    static List<FileEntriesLayer> layers(Path distribution) throws IOException {
        Tree tree = new Tree(distribution, PLACE);
        return List.of(
                tree.layer("libraries", Application::isLibrary),
                tree.layer("application", path -> !isLibrary(path) && !isAotCache(path)),
                tree.layer("aot-caches", Application::isAotCache));
    }

    /** Also one that is being made. */
    static boolean isAotCache(Path path) {
        return path.getFileName().toString().contains(".aot");
    }

    /**
     * Quarkus names jars by group and artifact, Maven by artifact: ours have "forebay-" in both.
     */
    static boolean isLibrary(Path path) {
        return path.startsWith("lib") && !path.getFileName().toString().contains("forebay-");
    }
}
