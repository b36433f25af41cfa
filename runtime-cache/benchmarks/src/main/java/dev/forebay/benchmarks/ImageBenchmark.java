package dev.forebay.benchmarks;

import static dev.forebay.benchmarks.measure.ProgressLog.say;
import static dev.forebay.benchmarks.measure.Results.FOREBAY;

import dev.forebay.benchmarks.measure.Command;
import dev.forebay.benchmarks.measure.MachineFacts;
import dev.forebay.benchmarks.measure.PageCache;
import dev.forebay.benchmarks.measure.PeakMemory;
import dev.forebay.benchmarks.measure.Results;
import dev.forebay.benchmarks.stack.SyntheticVersion;
import dev.forebay.devstack.erofs.ErofsMount;
import dev.forebay.image.ErofsImage;
import dev.forebay.image.ImageFile;
import dev.forebay.image.ImageName;
import dev.forebay.manifest.ManifestFile;
import dev.forebay.manifest.Pack;
import dev.forebay.manifest.sqlite.SqliteManifest;
import dev.forebay.manifest.write.ManifestWriter;
import dev.forebay.model.DatasetVersion;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Writes the image of a synthetic version and mounts it over packs without content. Up to a million
 * objects are also listed with {@code find}, and compared with a directory of as many files. Prints
 * a table and writes {@code target/bench/image-<objects>-<objects in a folder>.json}. Needs root,
 * for the mount and to drop the kernel's caches. Removes its files, about 1 KB for each object.
 */
public final class ImageBenchmark {

    private static final int ROUNDS = 3;
    private static final int MOST_PLAIN_FILES = 1_000_000;
    private static final String PLAIN = "raw_directory";
    private static final double MEGABYTE = 1e6;

    private final Path data;
    private final SyntheticVersion version;
    private final Results results = new Results();

    private ImageBenchmark(Path data, SyntheticVersion version) {
        this.data = data;
        this.version = version;
    }

    /** Takes the number of objects, and the number of objects in a folder. */
    public static void main(String[] arguments) throws Exception {
        SyntheticVersion version =
                new SyntheticVersion(
                        Integer.parseInt(arguments[0]), Integer.parseInt(arguments[1]));
        PageCache.requireDroppable();
        Path output = Files.createDirectories(Path.of("target", "bench").toAbsolutePath());
        Path data = Files.createTempDirectory(output, "image-");
        Map<String, Object> circumstances = MachineFacts.atStart();
        circumstances.putAll(version.circumstances());
        circumstances.put("max_heap_mb", Runtime.getRuntime().maxMemory() / MEGABYTE);
        ImageBenchmark benchmark = new ImageBenchmark(data, version);
        try {
            benchmark.run();
        } finally {
            Command.run("rm", "-rf", data.toString());
        }
        MachineFacts.atEnd(circumstances);
        Path file =
                output.resolve(
                        "image-%d-%d.json".formatted(version.objects(), version.perFolder()));
        benchmark.results.write(file, circumstances);
        System.out.println(benchmark.results.table());
        say("written to " + file);
    }

    private void run() throws IOException, InterruptedException {
        ManifestFile manifest = writeManifest();
        List<Path> packs = packs(manifest);
        Path mountpoint = Files.createDirectory(data.resolve("mnt"));
        Path plain = Files.createDirectory(data.resolve("plain"));
        boolean compare = version.objects() <= MOST_PLAIN_FILES;
        if (compare) {
            say("making as many plain files");
            version.makeFiles(plain);
        }
        for (int round = 1; round <= ROUNDS; round++) {
            say("round %d of %d".formatted(round, ROUNDS));
            ImageFile image = writeImage(manifest);
            if (compare && round % 2 == 0) {
                find(PLAIN, plain);
            }
            PageCache.drop();
            long began = System.nanoTime();
            try (ErofsMount mount = ErofsMount.of(image.path(), packs, mountpoint)) {
                results.add("mount", FOREBAY, "ms", 1e3 * secondsSince(began));
                if (compare) {
                    find(FOREBAY, mount.mountpoint());
                }
            }
            if (compare && round % 2 == 1) {
                find(PLAIN, plain);
            }
        }
    }

    private ManifestFile writeManifest() {
        say("writing a manifest of %d objects".formatted(version.objects()));
        long began = System.nanoTime();
        try (ManifestWriter writer =
                new ManifestWriter(
                        data.resolve("manifest"),
                        "lake",
                        SyntheticVersion.PREFIX,
                        ManifestWriter.DEFAULT_PACK_BYTES,
                        null)) {
            version.listing().forEach(writer::add);
            ManifestFile manifest = writer.finish();
            results.add("manifest_write", FOREBAY, "s", secondsSince(began));
            return manifest;
        }
    }

    /** Creates sparse files with the sizes of the packs. */
    private List<Path> packs(ManifestFile manifest) throws IOException {
        List<Path> files = new ArrayList<>();
        try (SqliteManifest opened = SqliteManifest.open(manifest.path())) {
            for (Pack pack : opened.packs()) {
                Path file = data.resolve(pack.id().digest().abbreviated());
                try (RandomAccessFile made = new RandomAccessFile(file.toFile(), "rw")) {
                    made.setLength(pack.bytes());
                }
                files.add(file);
            }
        }
        return files;
    }

    private ImageFile writeImage(ManifestFile manifest) throws IOException, InterruptedException {
        ImageName name =
                new ImageName(DatasetVersion.of("bench", "photos", "v1"), manifest.digest());
        PageCache.drop();
        PeakMemory memory = PeakMemory.fromNow();
        long began = System.nanoTime();
        ImageFile image = ErofsImage.write(manifest.path(), name, data.resolve("image"));
        results.add("image_write", FOREBAY, "s", secondsSince(began));
        results.add("image_write_peak_heap", FOREBAY, "MB", memory.heapBytes() / MEGABYTE);
        results.add("image_write_peak_rss", FOREBAY, "MB", memory.residentBytes() / MEGABYTE);
        perFile("image_tree", image.bytes() - image.attributeBytes());
        perFile("image_attributes", image.attributeBytes());
        return image;
    }

    private void perFile(String name, long bytes) {
        results.add(name, FOREBAY, "bytes/file", (double) bytes / version.objects());
    }

    /** Lists names alone, and names with inodes; both with cold caches and again. */
    private void find(String system, Path root) throws IOException, InterruptedException {
        PageCache.drop();
        find("find_names_nothing_cached", system, root);
        find("find_names_again", system, root);
        PageCache.drop();
        find("find_attributes_nothing_cached", system, root, "-size", "0");
        find("find_attributes_again", system, root, "-size", "0");
    }

    private void find(String name, String system, Path root, String... tests)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("find", root.toString()));
        command.addAll(List.of(tests));
        long began = System.nanoTime();
        Command.run(command.toArray(String[]::new));
        results.add(name, system, "files/s", version.objects() / secondsSince(began));
    }

    private static double secondsSince(long nanos) {
        return (System.nanoTime() - nanos) / 1e9;
    }
}
