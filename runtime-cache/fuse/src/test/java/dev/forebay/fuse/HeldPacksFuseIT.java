package dev.forebay.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.fuse.HeldMountFixture.Running;
import dev.forebay.fuse.view.View;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Checks what a successor does with the packs and views that a killed pod leaves on the node. */
class HeldPacksFuseIT extends HeldViews {

    /** The successor verifies the packs, and fetches none of them. */
    @Test
    void aSuccessorUsesTheSharedNodeCacheWithoutFetching() throws Exception {
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

    /** A successor neither checks packs in another directory nor frees their space. */
    @Test
    void aSuccessorWithAnotherCacheDirectoryShowsItsOwnNativeView() throws Exception {
        byte[] expected = CheckingReader.objects().getOrDefault("big/1.bin", new byte[0]);
        try (NativeFile open = NativeFile.open(region.root().resolve("big/1.bin"))) {
            pod.kill();
            pod =
                    region.serving(
                            holder, "pod-1", "--cache-directory=" + directory.resolve("pod-1"));
            awaitMount("its own image", mount -> mount.contains("/pod-1/images/"));
            readAll();
            awaitMount("natively", mount -> mount.contains("/pod-1/images/native/"));
            readAll();
            open.dropPages();
            byte[] read = new byte[expected.length];
            assertThat(open.read(read, 0).result()).isEqualTo(read.length);
            assertThat(Arrays.equals(read, expected)).isTrue();
        }
    }

    private void awaitMount(String what, Predicate<String> wanted) throws IOException {
        long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        List<String> mounts = List.of();
        while (mounts.isEmpty() || !wanted.test(mounts.getLast())) {
            assertThat(System.nanoTime())
                    .as("%s: %s, it printed: %s", what, mounts, pod.printed())
                    .isLessThan(deadline);
            LockSupport.parkNanos(2_000_000);
            mounts = ImageTreeContract.mountsAt(region.root());
        }
    }

    /** A view over packs that do not match their checksums must not stay. */
    @Test
    void aSuccessorDetachesAViewOverDamagedPacks() throws Exception {
        String believed = ImageTreeContract.mountsAt(region.root()).getLast();
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
        pod.await("is fetched again");
        pod.await("is shown on demand again");
        awaitMount("another view", mount -> !mount.equals(believed));
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

    /** Only the kernel knows that the file is open. */
    @Test
    void aRestartedPodWithASmallerNodeCacheEvictsNoOpenFile() throws Exception {
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
            pod.await("other versions need its space");
            readAll();
            open.dropPages();
            byte[] read = new byte[expected.length];
            assertThat(open.read(read, 0).result()).isEqualTo(read.length);
            assertThat(Arrays.equals(read, expected)).isTrue();
            assertThat(Arrays.equals(mapped.toArray(ValueLayout.JAVA_BYTE), expected)).isTrue();
            assertThat(usedBytes()).isGreaterThan(expected.length);
        }
        long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (usedBytes() > 8 << 20) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            LockSupport.parkNanos(50_000_000);
        }
        readAll();
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
}
