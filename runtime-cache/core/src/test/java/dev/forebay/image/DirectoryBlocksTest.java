package dev.forebay.image;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.SortedSet;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DirectoryBlocksTest {

    private static final Comparator<String> BYTES =
            Comparator.comparing(
                    text -> text.getBytes(StandardCharsets.UTF_8), Arrays::compareUnsigned);

    @TempDir Path directory;

    private record Packed(DirectoryBlocks.Shape shape, List<ImageReader.Entry> entries) {
        List<String> names() {
            return entries.stream().map(ImageReader.Entry::name).toList();
        }
    }

    /** Packs a directory with id 5 in directory 3. Its children have ids from 100 on. */
    private Packed pack(SortedSet<String> names) throws IOException {
        try (ScratchFile scratch = ScratchFile.beside(directory.resolve("x"), ".names")) {
            DirectoryBlocks blocks = new DirectoryBlocks(scratch.channel());
            blocks.begin(5, 3);
            long id = 100;
            for (String name : names) {
                blocks.add(id++, name.getBytes(StandardCharsets.UTF_8));
            }
            DirectoryBlocks.Shape shape = blocks.end();
            blocks.finish();
            return new Packed(shape, read(scratch, shape));
        }
    }

    private static List<ImageReader.Entry> read(ScratchFile scratch, DirectoryBlocks.Shape shape)
            throws IOException {
        List<ImageReader.Entry> entries = new ArrayList<>();
        ByteBuffer all = ByteBuffer.allocate((int) scratch.channel().size());
        scratch.channel().read(all, 0);
        assertThat(all.position())
                .isEqualTo(shape.fullBlocks() * Erofs.BLOCK_BYTES + shape.tailBytes());
        for (int at = 0; at < shape.bytes(); at += Erofs.BLOCK_BYTES) {
            int length = (int) Math.min(Erofs.BLOCK_BYTES, shape.bytes() - at);
            ImageReader.block(all.slice(at, length), at / Erofs.BLOCK_BYTES, entries);
        }
        return entries;
    }

    private static SortedSet<String> names(String... names) {
        SortedSet<String> sorted = new TreeSet<>(BYTES);
        sorted.addAll(List.of(names));
        return sorted;
    }

    @Test
    void anEmptyDirectoryListsItselfAndItsParent() throws IOException {
        Packed packed = pack(names());
        assertThat(packed.names()).containsExactly(".", "..");
        assertThat(packed.entries()).extracting(ImageReader.Entry::number).containsExactly(5L, 3L);
        assertThat(packed.shape()).isEqualTo(new DirectoryBlocks.Shape(0, 2 * 12 + 3, 2 * 12 + 3));
    }

    @Test
    void dotEntriesAreSortedByBytesAmongTheNames() throws IOException {
        assertThat(pack(names("!", "-", ".!", ".-x", "...", "..-", ".a", "0")).names())
                .containsExactly("!", "-", ".", ".!", ".-x", "..", "..-", "...", ".a", "0");
        assertThat(pack(names("\u0001", "-")).names()).containsExactly("\u0001", "-", ".", "..");
        assertThat(pack(names(".+")).names()).containsExactly(".", ".+", "..");
    }

    @Test
    void aNameGoesIntoTheNextBlockOnlyIfItDoesNotFit() throws IOException {
        // 27 bytes for the dots, 16 names of 240 bytes with entries of 12 bytes, and a name that
        // just fits.
        List<String> names = new ArrayList<>();
        for (int i = 10; i < 26; i++) {
            names.add("a" + i + "-".repeat(237));
        }
        int left = Erofs.BLOCK_BYTES - 27 - 16 * 252;
        names.add("b".repeat(left - 12));
        Packed full = pack(names(names.toArray(String[]::new)));
        assertThat(full.shape()).isEqualTo(new DirectoryBlocks.Shape(1, 0, 4096));
        assertThat(full.names()).hasSize(19).contains("b".repeat(left - 12));

        names.set(16, "b".repeat(left - 11));
        Packed more = pack(names(names.toArray(String[]::new)));
        assertThat(more.shape().fullBlocks()).isEqualTo(1);
        assertThat(more.shape().tailBytes()).isEqualTo(12 + left - 11);
        assertThat(more.entries().getLast().block()).isEqualTo(1);
    }

    @Test
    void aTailTooLargeForTheInodeBlockGetsItsOwnBlock() throws IOException {
        int tail = InodeArea.MAX_TAIL_BYTES;
        assertThat(pack(ofBytes(tail)).shape()).isEqualTo(new DirectoryBlocks.Shape(0, tail, tail));
        assertThat(pack(ofBytes(tail + 1)).shape())
                .isEqualTo(new DirectoryBlocks.Shape(1, 0, tail + 1));
    }

    /** Returns names that need so many bytes together with the dots. */
    private static SortedSet<String> ofBytes(int bytes) {
        SortedSet<String> names = names();
        int left = bytes - 27;
        for (int i = 10; left > 2 * 252; i++) {
            names.add("a" + i + "-".repeat(237));
            left -= 252;
        }
        names.add("y".repeat(left / 2 - 12));
        names.add("z".repeat(left - left / 2 - 12));
        return names;
    }

    @Test
    void randomNamesAndIdsAreReadBackInOrder() throws IOException {
        for (int round = 0; round < 50; round++) {
            long seed = System.nanoTime();
            Random random = new Random(seed);
            SortedSet<String> names = names();
            for (int i = random.nextInt(2000); i > 0; i--) {
                StringBuilder name = new StringBuilder();
                for (int c = 1 + random.nextInt(random.nextInt(30) == 0 ? 85 : 12); c > 0; c--) {
                    name.appendCodePoint("!-.0az~é日\u0001".codePointAt(random.nextInt(10)));
                }
                names.add(name.toString());
            }
            names.removeAll(List.of(".", ".."));
            Packed packed = pack(names);
            names.addAll(List.of(".", ".."));
            assertThat(packed.names()).as("seed %d", seed).containsExactlyElementsOf(names);
            assertThat(
                            packed.entries().stream()
                                    .filter(entry -> entry.number() >= 100)
                                    .map(ImageReader.Entry::number))
                    .as("seed %d", seed)
                    .isSorted()
                    .hasSize(names.size() - 2);
        }
    }
}
