package dev.forebay.benchmarks;

import static dev.forebay.benchmarks.measure.ProgressLog.say;
import static dev.forebay.benchmarks.measure.Results.FOREBAY;

import dev.forebay.benchmarks.measure.Command;
import dev.forebay.benchmarks.measure.MachineFacts;
import dev.forebay.benchmarks.measure.PeakMemory;
import dev.forebay.benchmarks.measure.Results;
import dev.forebay.benchmarks.stack.StubListing;
import dev.forebay.benchmarks.stack.SyntheticVersion;
import dev.forebay.devstack.server.S3Server;
import dev.forebay.lake.LakeObject;
import dev.forebay.lake.Listing;
import dev.forebay.lake.s3.S3Credentials;
import dev.forebay.lake.s3.S3Lake;
import dev.forebay.lake.s3.S3LakeConfig;
import dev.forebay.lake.walk.PrefixWalk;
import dev.forebay.manifest.Comparison;
import dev.forebay.manifest.Manifest;
import dev.forebay.manifest.ManifestFile;
import dev.forebay.manifest.sqlite.SqliteManifest;
import dev.forebay.manifest.write.ManifestWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Lists many objects and writes their manifest, as an ingest does. It uses a real S3 server over
 * plain files, and a computed listing that answers each page after 100 ms. Prints a table and
 * writes {@code target/bench/ingest-<objects>-<computed objects>.json}. Removes its files.
 */
public final class IngestBenchmark {

    private static final int PER_FOLDER = 1000;
    private static final int REQUESTS = 16;
    private static final Duration LATENCY = Duration.ofMillis(100);
    private static final String BUCKET = "lake";
    private static final int CHANGED_PART = 100;
    private static final double MEGABYTE = 1e6;

    private final Path data;
    private final Results results = new Results();

    private IngestBenchmark(Path data) {
        this.data = data;
    }

    /**
     * Takes the number of objects on the server, and of computed objects; 0 leaves out that part.
     */
    public static void main(String[] arguments) throws Exception {
        int objects = Integer.parseInt(arguments[0]);
        int computed = Integer.parseInt(arguments[1]);
        Path output = Files.createDirectories(Path.of("target", "bench").toAbsolutePath());
        Path data = Files.createTempDirectory(output, "ingest-");
        Map<String, Object> circumstances = MachineFacts.atStart();
        circumstances.put("objects", objects);
        circumstances.put("computed_objects", computed);
        circumstances.put("objects_in_a_folder", PER_FOLDER);
        circumstances.put("requests_at_once", REQUESTS);
        circumstances.put("latency_of_a_computed_page_ms", LATENCY.toMillis());
        circumstances.put("max_heap_mb", Runtime.getRuntime().maxMemory() / MEGABYTE);
        IngestBenchmark benchmark = new IngestBenchmark(data);
        try {
            if (objects > 0) {
                benchmark.onServer(new SyntheticVersion(objects, PER_FOLDER));
            }
            if (computed > 0) {
                benchmark.computed(new SyntheticVersion(computed, PER_FOLDER));
            }
        } finally {
            Command.run("rm", "-rf", data.toString());
        }
        MachineFacts.atEnd(circumstances);
        Path file = output.resolve("ingest-%d-%d.json".formatted(objects, computed));
        benchmark.results.write(file, circumstances);
        System.out.println(benchmark.results.table());
        say("written to " + file);
    }

    private void onServer(SyntheticVersion version) throws IOException {
        Path directory = Files.createDirectory(data.resolve("s3"));
        try (S3Server server = S3Server.start(directory).createBucket(BUCKET);
                S3Lake lake =
                        S3Lake.open(
                                S3LakeConfig.of(server.endpoint(), S3Server.REGION, true),
                                new S3Credentials(server.accessKey(), server.secretKey()))) {
            say("making %d files".formatted(version.objects()));
            version.makeFiles(server.bucketDirectory(BUCKET).resolve(SyntheticVersion.PREFIX));
            Listing listing = lake.listing(BUCKET, SyntheticVersion.PREFIX);
            say("listing them one page after the other");
            long before = lake.requests();
            long began = System.nanoTime();
            String next = null;
            do {
                next = listing.page(next, Listing.PAGE_OBJECTS).next();
            } while (next != null);
            results.add("server_list_serially", FOREBAY, "s", secondsSince(began));
            results.add(
                    "server_list_serially_requests",
                    FOREBAY,
                    "",
                    (double) (lake.requests() - before));
            long serial = lake.requests();
            ingest("server", version, listing);
            results.add("server_list_requests", FOREBAY, "", (double) (lake.requests() - serial));
        }
    }

    private void computed(SyntheticVersion version) throws IOException {
        StubListing listing = new StubListing(version, LATENCY);
        ingest("computed", version, listing);
        results.add("computed_list_requests", FOREBAY, "", (double) listing.requests());
    }

    private void ingest(String name, SyntheticVersion version, Listing listing) throws IOException {
        say("%s: listing %d objects by %d".formatted(name, version.objects(), REQUESTS));
        Path folder = Files.createDirectory(data.resolve(name));
        PeakMemory memory = PeakMemory.fromNow();
        long began = System.nanoTime();
        PrefixWalk walk =
                new PrefixWalk(listing, SyntheticVersion.PREFIX, key -> true, folder, name);
        walk.list(REQUESTS, count -> {});
        results.add(name + "_list", FOREBAY, "s", secondsSince(began));
        say(name + ": writing the manifest");
        long listed = System.nanoTime();
        ManifestFile manifest = write(data.resolve(name + ".manifest"), walk::forEach, null);
        results.add(name + "_manifest", FOREBAY, "s", secondsSince(listed));
        if (manifest.objects() != version.objects()) {
            throw new IllegalStateException(manifest.objects() + " objects were listed");
        }
        say(name + ": the next version, of which 1 % has changed");
        long again = System.nanoTime();
        try (Manifest previous = SqliteManifest.open(manifest.path())) {
            write(
                    data.resolve(name + ".next"),
                    each -> walk.forEach(object -> each.accept(changed(object))),
                    previous);
        }
        results.add(name + "_next_manifest", FOREBAY, "s", secondsSince(again));
        results.add(name + "_peak_heap", FOREBAY, "MB", memory.heapBytes() / MEGABYTE);
        results.add(name + "_peak_rss", FOREBAY, "MB", memory.residentBytes() / MEGABYTE);
        results.add(
                name + "_manifest_bytes",
                FOREBAY,
                "bytes/object",
                (double) Files.size(manifest.path()) / version.objects());
    }

    private static LakeObject changed(LakeObject object) {
        return object.key().hashCode() % CHANGED_PART == 0
                ? new LakeObject(object.key(), object.size() + 1, Instant.EPOCH, "changed", null)
                : object;
    }

    private static ManifestFile write(
            Path target, Consumer<Consumer<LakeObject>> objects, @Nullable Manifest previous) {
        try (ManifestWriter writer =
                new ManifestWriter(
                        target,
                        BUCKET,
                        SyntheticVersion.PREFIX,
                        ManifestWriter.DEFAULT_PACK_BYTES,
                        previous)) {
            objects.accept(writer::add);
            ManifestFile file = writer.finish();
            Comparison comparison = writer.comparison();
            if (previous != null && (comparison.added() > 0 || comparison.removed() > 0)) {
                throw new IllegalStateException("not the same objects: " + comparison);
            }
            return file;
        }
    }

    private static double secondsSince(long nanos) {
        return (System.nanoTime() - nanos) / 1e9;
    }
}
