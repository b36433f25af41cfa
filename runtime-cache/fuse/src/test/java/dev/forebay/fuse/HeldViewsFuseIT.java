package dev.forebay.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.fuse.CheckingReader.Way;
import dev.forebay.fuse.HeldMountFixture.Running;
import dev.forebay.fuse.HeldMountFixture.Seen;
import dev.forebay.fuse.view.View;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** "Views change under running jobs", by whole pods that are killed and replaced. */
@SuppressWarnings("NullAway.Init") // started before each
class HeldViewsFuseIT {

    private static final long OUTAGE_NANOS = Duration.ofSeconds(2).toNanos();

    @TempDir private Path directory;
    private HeldMountFixture region;
    private Running holder;
    private Running pod;

    @BeforeEach
    void showNatively() throws Exception {
        region = new HeldMountFixture(directory);
        holder = region.holder();
        pod = region.serving(holder, "pod-0");
        region.awaitView(View.ON_DEMAND);
        readAll();
        region.awaitView(View.NATIVE);
    }

    @AfterEach
    void endAll() throws Exception {
        region.close();
    }

    private void readAll() {
        TestDataset.assertShows(region.root(), CheckingReader.objects());
    }

    private Running restarted(String... more) throws IOException {
        return region.serving(holder, "pod-0", more);
    }

    /** The reader has the version's folder bound, as a container may have. */
    @Test
    void nativeReadersDoNotNoticeThatThePodIsKilledAndTheNextGoesOn() throws Exception {
        Path bound = Files.createDirectory(directory.resolve("bound"));
        List<Running> readers =
                HeldMountFixture.readers(
                        directory,
                        bound,
                        1,
                        EnumSet.of(Way.BUFFERED, Way.MAPPED, Way.SMALL_FILES),
                        List.of(
                                "unshare",
                                "--mount",
                                "--propagation",
                                "slave",
                                "sh",
                                "-c",
                                "mount --rbind \"$0\" \"$1\" && shift && exec \"$@\"",
                                region.root().toString(),
                                bound.toString()));
        long killed = pod.kill();
        LockSupport.parkNanos(OUTAGE_NANOS);
        pod = restarted();
        long back = CheckingReader.micros();
        pod.await("/metrics");
        awaitCountedAsNative();

        Seen seen = HeldMountFixture.end(readers);
        assertThat(seen.complaints()).isEmpty();
        assertThat(seen.operations()).isPositive();
        assertThat(seen.slow())
                .as("nobody waited for the pod")
                .noneMatch(waited -> waited[1] - waited[0] > (back - killed) / 2);
        readAll();
    }

    /** It is as a pod with another {@code --view} would have it, in its time. */
    @Test
    void aSuccessorTakesOffAndPutsOnWhatItIsTold() throws Exception {
        pod.kill();
        pod = restarted("--view=on-demand");
        region.awaitView(View.ON_DEMAND);
        readAll();
        pod.kill();
        pod = restarted("--view=portable");
        region.awaitView(View.PORTABLE);
        readAll();
        pod.stop();
        pod = restarted();
        region.awaitView(View.ON_DEMAND);
        readAll();
        region.awaitView(View.NATIVE);
        readAll();
    }

    /** It compares the packs that are there with their checksums, and fetches none of them. */
    @Test
    void aSuccessorGoesOnWithTheCacheThatItShares() throws Exception {
        Running next = region.standby(holder, "pod-1");
        double fetched = fetchedBytes(next);
        pod.kill();
        pod = next;
        holder.await(HeldMountFixture.serves(pod));
        readAll();
        pod.await("is on this node");
        awaitCountedAsNative();
        assertThat(fetchedBytes(pod)).isEqualTo(fetched);
        readAll();
    }

    /**
     * What the kernel asks about the tree, it asks the successor, who has never been asked before.
     */
    @Test
    void aSuccessorShowsWhatIsHereThoughNoWorkerCanBeReached() throws Exception {
        Running next = region.standby(holder, "pod-1");
        awaitManifestOf("pod-1");
        region.stopWorker();
        pod.kill();
        pod = next;
        holder.await(HeldMountFixture.serves(pod));
        readAll();
    }

    private void awaitManifestOf(String name) throws IOException {
        long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (!hasManifest(directory.resolve(name).resolve("manifests"))) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            LockSupport.parkNanos(2_000_000);
        }
    }

    private static boolean hasManifest(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.anyMatch(file -> file.toString().endsWith(".sqlite"));
        }
    }

    /** Over packs of another directory a view would be neither checked nor make room. */
    @Test
    void aSuccessorWithAnotherDirectoryShowsItNativelyFromItsOwn() throws Exception {
        byte[] expected = CheckingReader.objects().getOrDefault("big/1.bin", new byte[0]);
        try (NativeFile open = NativeFile.open(region.root().resolve("big/1.bin"))) {
            pod.kill();
            pod =
                    region.serving(
                            holder, "pod-1", "--cache-directory=" + directory.resolve("pod-1"));
            region.awaitView(View.ON_DEMAND);
            readAll();
            region.awaitView(View.NATIVE);
            assertThat(ImageTreeContract.mountsAt(region.root()).getLast())
                    .contains("/pod-1/images/native/");
            readAll();
            open.dropPages();
            byte[] read = new byte[expected.length];
            assertThat(open.read(read, 0).result()).isEqualTo(read.length);
            assertThat(Arrays.equals(read, expected)).isTrue();
        }
    }

    /** What lies below the view is in no directory then, and nobody would compare it again. */
    @Test
    void aSuccessorTakesOffAViewOverFilesThatItDoesNotBelieve() throws Exception {
        pod.kill();
        try (Stream<Path> files = Files.walk(directory.resolve("cache"))) {
            for (Path file : files.toList()) {
                if (file.toString().endsWith(".map")) {
                    flip(file, 10);
                } else if (file.toString().endsWith(".pack")) {
                    flip(file, 123_456);
                }
            }
        }
        pod = restarted();
        pod.await("is fetched anew");
        pod.await("is shown on demand again");
        region.awaitView(View.ON_DEMAND);
        readAll();
        region.awaitView(View.NATIVE);
        readAll();
    }

    private static void flip(Path path, long at) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
            file.seek(at);
            int was = file.read();
            file.seek(at);
            file.write(was ^ 1);
        }
    }

    /** Nothing knows that the file is open but the kernel. */
    @Test
    void aPodThatWasKilledAndMayKeepLessGivesNothingUpThatIsOpen() throws Exception {
        byte[] expected = CheckingReader.objects().getOrDefault("big/1.bin", new byte[0]);
        Path file = region.root().resolve("big/1.bin");
        try (Arena arena = Arena.ofConfined();
                FileChannel channel = FileChannel.open(file);
                NativeFile open = NativeFile.open(file)) {
            MemorySegment mapped =
                    channel.map(FileChannel.MapMode.READ_ONLY, 0, expected.length, arena);
            pod.kill();
            pod = restarted("--pack-cache=8M");
            region.awaitView(View.ON_DEMAND);
            pod.await("others need its room");
            readAll();
            open.dropPages();
            byte[] read = new byte[expected.length];
            assertThat(open.read(read, 0).result()).isEqualTo(read.length);
            assertThat(Arrays.equals(read, expected)).isTrue();
            assertThat(Arrays.equals(mapped.toArray(ValueLayout.JAVA_BYTE), expected)).isTrue();
            pod.await("/metrics");
            assertThat(usedBytes()).isGreaterThan(expected.length);
        }
        long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (usedBytes() > 8 << 20) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            LockSupport.parkNanos(50_000_000);
        }
        readAll();
    }

    /** It looks at what is mounted a moment after it serves. */
    private void awaitCountedAsNative() throws Exception {
        long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (!Double.valueOf(1).equals(views(pod).get("native"))) {
            assertThat(System.nanoTime()).as("counted as native").isLessThan(deadline);
            LockSupport.parkNanos(50_000_000);
        }
    }

    private double usedBytes() throws Exception {
        return value("(?m)^forebay_fuse_pack_cache_used_bytes (.*)$", scrape(pod));
    }

    private static double fetchedBytes(Running pod) throws Exception {
        return Pattern.compile("(?m)^forebay_fuse_worker_bytes_total\\{.*} (.*)$")
                .matcher(scrape(pod))
                .results()
                .mapToDouble(line -> Double.parseDouble(line.group(1)))
                .sum();
    }

    private static Map<String, Double> views(Running pod) throws Exception {
        String metrics = scrape(pod);
        return Map.of(
                "native", value("forebay_fuse_views\\{view=\"native\"} (.*)", metrics),
                "on_demand", value("forebay_fuse_views\\{view=\"on_demand\"} (.*)", metrics));
    }

    private static double value(String pattern, String metrics) {
        Matcher found = Pattern.compile(pattern).matcher(metrics);
        assertThat(found.find()).as(metrics).isTrue();
        return Double.parseDouble(found.group(1));
    }

    private static String scrape(Running pod) throws Exception {
        Matcher address = Pattern.compile("http://127[^ ]+/metrics").matcher(pod.printed());
        assertThat(address.find()).isTrue();
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(
                            HttpRequest.newBuilder(URI.create(address.group())).build(),
                            HttpResponse.BodyHandlers.ofString())
                    .body();
        }
    }
}
