package dev.forebay.images;

import com.google.cloud.tools.jib.api.buildplan.FileEntriesLayer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * A trained program as three layers: libraries of others, which rarely change between releases;
 * Forebay's own code; and the AOT caches, which differ in each build.
 */
final class Application {

    /** The directory of the program in an image. */
    static final String PLACE = "/opt/forebay";

    private Application() {}

    static List<FileEntriesLayer> layers(Path distribution) throws IOException {
        Tree tree = new Tree(distribution, PLACE);
        return List.of(
                tree.layer("libraries", Application::isLibrary),
                tree.layer("application", path -> !isLibrary(path) && !isAotCache(path)),
                tree.layer("aot-caches", Application::isAotCache));
    }

    /** Returns whether the file is an AOT cache, also an unfinished one. */
    static boolean isAotCache(Path path) {
        return path.getFileName().toString().contains(".aot");
    }

    /**
     * Returns whether the file is a library of others. Quarkus names jars by group and artifact,
     * Maven by artifact; names of Forebay's own jars contain "forebay-" in both cases.
     */
    static boolean isLibrary(Path path) {
        return path.startsWith("lib") && !path.getFileName().toString().contains("forebay-");
    }
}
