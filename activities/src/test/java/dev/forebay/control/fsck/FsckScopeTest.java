package dev.forebay.control.fsck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ForebayException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class FsckScopeTest {

    private static final List<String> ALL =
            List.of("a/b@v1", "a/b@v1-x", "a/b@v10", "a/b-c@v1", "a-b/c@v1", "z9/z@Z_.-z");

    private static List<String> within(String of) {
        FsckScope scope = new FsckScope(of);
        return ALL.stream().filter(id -> scope.contains(DatasetVersion.parse(id))).toList();
    }

    @Test
    void aScopeContainsExactlyItsOwnVersions() {
        assertThat(within("")).isEqualTo(ALL);
        assertThat(within("a")).containsExactly("a/b@v1", "a/b@v1-x", "a/b@v10", "a/b-c@v1");
        assertThat(within("a/b")).containsExactly("a/b@v1", "a/b@v1-x", "a/b@v10");
        assertThat(within("a/b@v1")).containsExactly("a/b@v1");
    }

    @Test
    void anInvalidNameIsRefused() {
        Stream.of("A", "a/", "a/b@", "a/b/c", "@v1")
                .forEach(
                        of ->
                                assertThatThrownBy(() -> new FsckScope(of))
                                        .isInstanceOf(ForebayException.class));
    }
}
