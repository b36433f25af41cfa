package dev.forebay.benchmarks;

import static dev.forebay.benchmarks.Results.FOREBAY;

import dev.forebay.devstack.erofs.ErofsMount;
import dev.forebay.image.ErofsImage;
import dev.forebay.image.ImageFile;
import dev.forebay.image.ImageName;
import dev.forebay.lake.LakeObject;
import dev.forebay.manifest.ManifestFile;
import dev.forebay.manifest.ManifestWriter;
import dev.forebay.manifest.Pack;
import dev.forebay.manifest.SqliteManifest;
import dev.forebay.model.DatasetVersion;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/**
 * Writes the image of a made-up version of many objects, mounts it over packs without content, and
 * walks it. Prints a table and writes {@code target/bench/image-<objects>.json}. Needs root, for
 * the mount and to drop the kernel's caches; what it makes on disk (about 1 KB an object) is
 * removed.
 */
public final class ImageBenchmark {

    private static final int ROUNDS = 3;
    private static final int OBJECTS = 1_000_000;
    private static final int PER_DIRECTORY = 1000;
    private static final long OBJECT_BYTES = 100_000;
    private static final String PREFIX = "datasets/photos/";
    private static final double MEGABYTE = 1e6;

    private ImageBenchmark() {}

    /** Takes the number of objects, if it is not to be a million. */
    public static void main(String[] arguments) throws Exception {
        int objects = arguments.length == 0 ? OBJECTS : Integer.parseInt(arguments[0]);
        PageCache.requireDroppable();
        Path output = Files.createDirectories(Path.of("target", "bench").toAbsolutePath());
        Path data = Files.createTempDirectory(output, "image-");
        Map<String, Object> circumstances = Circumstances.atStart();
        circumstances.put("objects", objects);
        circumstances.put("objects_per_directory", PER_DIRECTORY);
        circumstances.put("name_bytes", name(0).length());
        circumstances.put("key_bytes", key(0).length());
        circumstances.put("etag_bytes", etag(0).length());
        circumstances.put("max_heap_mb", Runtime.getRuntime().maxMemory() / MEGABYTE);
        Results results = new Results();
        try {
            ManifestFile manifest = writeManifest(data, objects, results);
            for (int round = 1; round <= ROUNDS; round++) {
                say("round %d of %d".formatted(round, ROUNDS));
                ImageFile image = writeImage(data, manifest, objects, results);
                mount(data, manifest, image, results);
            }
        } finally {
            Tree.delete(data);
        }
        Circumstances.atEnd(circumstances);
        Path file = output.resolve("image-%d.json".formatted(objects));
        results.write(file, circumstances);
        System.out.println(results.table());
        say("written to " + file);
    }

    private static ManifestFile writeManifest(Path data, int objects, Results results) {
        say("writing a manifest of %d objects".formatted(objects));
        long began = System.nanoTime();
        ManifestFile manifest;
        try (ManifestWriter writer =
                new ManifestWriter(
                        data.resolve("manifest"),
                        "lake",
                        PREFIX,
                        ManifestWriter.DEFAULT_PACK_BYTES,
                        null)) {
            for (int i = 0; i < objects; i++) {
                writer.add(
                        new LakeObject(
                                key(i),
                                OBJECT_BYTES,
                                Instant.ofEpochSecond(1_700_000_000L + i),
                                etag(i),
                                null));
            }
            manifest = writer.finish();
        }
        results.add("manifest_write", FOREBAY, "s", secondsSince(began));
        return manifest;
    }

    private static String name(int i) {
        return "img-%08d.jpg".formatted(i);
    }

    private static String key(int i) {
        return PREFIX + "train/%06d/".formatted(i / PER_DIRECTORY) + name(i);
    }

    private static String etag(int i) {
        return HexFormat.of().toHexDigits(i * 0x9E3779B97F4A7C15L).repeat(2);
    }

    private static ImageFile writeImage(
            Path data, ManifestFile manifest, int objects, Results results)
            throws IOException, InterruptedException {
        PageCache.drop();
        List<MemoryPoolMXBean> heap =
                ManagementFactory.getMemoryPoolMXBeans().stream()
                        .filter(pool -> pool.getType() == MemoryType.HEAP)
                        .toList();
        System.gc();
        heap.forEach(MemoryPoolMXBean::resetPeakUsage);
        long began = System.nanoTime();
        ImageFile image =
                ErofsImage.write(
                        manifest.path(),
                        new ImageName(
                                DatasetVersion.of("bench", "photos", "v1"), manifest.digest()),
                        data.resolve("image"));
        results.add("image_write", FOREBAY, "s", secondsSince(began));
        long peak = heap.stream().mapToLong(pool -> pool.getPeakUsage().getUsed()).sum();
        results.add("image_write_peak_heap", FOREBAY, "MB", peak / MEGABYTE);
        long tree = image.bytes() - image.attributeBytes();
        results.add("image_tree", FOREBAY, "bytes/file", (double) tree / objects);
        results.add(
                "image_attributes",
                FOREBAY,
                "bytes/file",
                (double) image.attributeBytes() / objects);
        return image;
    }

    private static void mount(Path data, ManifestFile manifest, ImageFile image, Results results)
            throws IOException, InterruptedException {
        List<Path> packs = packs(data, manifest);
        Path mountpoint = Files.createDirectories(data.resolve("mnt"));
        PageCache.drop();
        long began = System.nanoTime();
        try (ErofsMount mount = ErofsMount.of(image.path(), packs, mountpoint)) {
            results.add("image_mount", FOREBAY, "ms", 1e3 * secondsSince(began));
            for (String pass : List.of("image_walk_nothing_cached", "image_walk_again")) {
                began = System.nanoTime();
                long entries = Tree.walk(mount.mountpoint());
                results.add(pass, FOREBAY, "entries/s", entries / secondsSince(began));
            }
        }
    }

    /** Files of the packs' sizes that take no room. */
    private static List<Path> packs(Path data, ManifestFile manifest) throws IOException {
        List<Path> files = new ArrayList<>();
        try (SqliteManifest opened = SqliteManifest.open(manifest.path())) {
            for (Pack pack : opened.packs()) {
                Path file = data.resolve(pack.id().digest().abbreviated());
                try (FileChannel channel =
                        FileChannel.open(
                                file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
                    channel.write(ByteBuffer.allocate(1), pack.bytes() - 1);
                }
                files.add(file);
            }
        }
        return files;
    }

    private static double secondsSince(long nanos) {
        return (System.nanoTime() - nanos) / 1e9;
    }

    private static void say(String line) {
        System.err.println("[bench] " + line);
    }
}
