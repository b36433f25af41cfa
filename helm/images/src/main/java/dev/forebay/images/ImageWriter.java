package dev.forebay.images;

import com.google.cloud.tools.jib.api.CacheDirectoryCreationException;
import com.google.cloud.tools.jib.api.Containerizer;
import com.google.cloud.tools.jib.api.InvalidImageReferenceException;
import com.google.cloud.tools.jib.api.Jib;
import com.google.cloud.tools.jib.api.RegistryException;
import com.google.cloud.tools.jib.api.TarImage;
import com.google.cloud.tools.jib.api.buildplan.AbsoluteUnixPath;
import com.google.cloud.tools.jib.api.buildplan.FileEntriesLayer;
import com.google.cloud.tools.jib.api.buildplan.ImageFormat;
import com.google.cloud.tools.jib.api.buildplan.Platform;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;

/** Writes images as archives in the format of {@code docker save}. */
final class ImageWriter {

    /** A constant, so that two builds are equal. */
    private static final Instant CREATED = FileEntriesLayer.DEFAULT_MODIFICATION_TIME;

    private ImageWriter() {}

    /**
     * Writes an image.
     *
     * @param tag of the image, under which an archive is loaded
     * @return the digest of the manifest that a registry would have
     */
    static String write(Program program, String tag, List<FileEntriesLayer> layers, Path archive)
            throws IOException, InterruptedException {
        // A new cache: in an old one Jib would find layers by the times of files, not by content.
        Path cache = Files.createTempDirectory("forebay-images-cache");
        try {
            return Jib.fromScratch()
                    .setPlatforms(Set.of(new Platform("amd64", "linux")))
                    .setFormat(ImageFormat.Docker)
                    .setCreationTime(CREATED)
                    .setFileEntriesLayers(layers)
                    .setUser(program.user())
                    .setWorkingDirectory(AbsoluteUnixPath.get("/work"))
                    .setEntrypoint(program.entrypoint())
                    .setEnvironment(environment(program))
                    .setLabels(
                            new TreeMap<>(
                                    Map.of(
                                            "org.opencontainers.image.title",
                                            program.image(),
                                            "org.opencontainers.image.version",
                                            tag,
                                            "org.opencontainers.image.licenses",
                                            "Apache-2.0")))
                    .containerize(
                            Containerizer.to(
                                            TarImage.at(archive).named(program.image() + ":" + tag))
                                    .setBaseImageLayersCache(cache)
                                    .setApplicationLayersCache(cache)
                                    .setOfflineMode(true)
                                    .setToolName("forebay-images"))
                    .getDigest()
                    .toString();
        } catch (RegistryException
                | CacheDirectoryCreationException
                | ExecutionException
                | InvalidImageReferenceException e) {
            throw new IOException("cannot write " + archive, e);
        } finally {
            Directories.delete(cache);
        }
    }

    /** Returns sorted variables: the order of a {@code Map.of} differs between JVMs. */
    private static SortedMap<String, String> environment(Program program) {
        return new TreeMap<>(
                Map.of(
                        "JAVA_HOME",
                        JavaRuntime.PLACE,
                        "PATH",
                        JavaRuntime.PLACE + "/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                        "LANG",
                        "C.UTF-8",
                        // Read only by the command java, not by keytool, which has no cache.
                        "JDK_JAVA_OPTIONS",
                        "-XX:AOTCache=" + program.aotCache()));
    }
}
