package dev.forebay.fuse.fs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.fuse.fs.PagedDirectory.Entry;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PagedDirectoryTest {

    private static final List<String> NAMES = List.of("a", "b", "c", "d", "e");
    private static final int PAGE = 3;

    private final PagedDirectory directory = new PagedDirectory(1, 1, PagedDirectoryTest::after);

    private static List<Entry> after(String name) {
        return NAMES.stream()
                .filter(each -> each.compareTo(name) > 0)
                .limit(PAGE)
                .map(each -> new Entry(each, each.charAt(0), false))
                .toList();
    }

    /** Lists at most this number of entries after an offset. */
    private List<String> list(long offset, int most) {
        List<String> names = new ArrayList<>();
        directory.list(
                offset,
                (name, _, _, _) -> {
                    if (names.size() == most) {
                        return false;
                    }
                    names.add(name);
                    return true;
                });
        return names;
    }

    @Test
    void everyOffsetListsTheSameNamesFromEveryPosition() {
        List<String> all = list(0, Integer.MAX_VALUE);
        assertThat(all).containsExactly(".", "..", "a", "b", "c", "d", "e");
        for (int before = 0; before <= all.size(); before++) {
            for (int offset = 0; offset <= all.size(); offset++) {
                list(0, before);
                assertThat(list(offset, Integer.MAX_VALUE))
                        .as("from offset %d, after a listing of %d entries", offset, before)
                        .isEqualTo(all.subList(offset, all.size()));
            }
        }
    }
}
