package dev.forebay.fuse.jnr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.forebay.fuse.fs.Errno;
import dev.forebay.fuse.fs.FsException;
import org.junit.jupiter.api.Test;

class HandleTableTest {

    private final HandleTable<String> table = new HandleTable<>();

    @Test
    void eachHandleIsOpenUntilItIsRemoved() {
        long one = table.add("one");
        long two = table.add("two");
        assertThat(table.get(one)).isEqualTo("one");
        assertThat(table.get(two)).isEqualTo("two");
        assertThat(table.size()).isEqualTo(2);

        table.remove(one);

        assertThat(table.size()).isEqualTo(1);
        assertThatExceptionOfType(FsException.class)
                .isThrownBy(() -> table.get(one))
                .matches(e -> e.errno() == Errno.EBADF);
        assertThat(table.add("three")).as("a number is not used twice").isNotEqualTo(one);
    }
}
