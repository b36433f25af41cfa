package dev.forebay.lake.walk;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SortedKeysTest {

    @TempDir Path folder;

    private List<Path> runs() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.toList();
        }
    }

    /** The memory of a key beside its characters must count, too. */
    @Test
    void theSorterSpillsManyShortKeysToDisk() throws IOException {
        SortedKeys.Sorter sorter = new SortedKeys.Sorter(folder);
        for (int i = 0; i < 1_000_000; i++) {
            sorter.add(i % 2 == 0 ? "b" : "a");
        }

        assertThat(runs()).hasSize(2);
        try (SortedKeys keys = sorter.sorted()) {
            assertThat(List.of(keys.next(), keys.next())).containsExactly("a", "b");
            assertThat(keys.next()).isNull();
        }
    }
}
