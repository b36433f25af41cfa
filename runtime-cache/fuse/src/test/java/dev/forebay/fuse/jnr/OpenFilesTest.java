package dev.forebay.fuse.jnr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.forebay.fuse.fs.Attributes;
import dev.forebay.fuse.fs.Errno;
import dev.forebay.fuse.fs.FsException;
import dev.forebay.fuse.fs.OpenFile;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class OpenFilesTest {

    private final OpenFiles<String> files = new OpenFiles<>();

    private record Empty(Attributes attributes) implements OpenFile {
        @Override
        public int read(long offset, ByteBuffer target) {
            return 0;
        }
    }

    @Test
    void aNameHasAttributesUntilItsLastHandleIsClosed() {
        Attributes attributes = new Attributes(7, false, 100, 0);
        assertThat(files.attributes("/a")).isEmpty();
        long one = files.add("/a", new Empty(attributes));
        long two = files.add("/a", new Empty(attributes));
        files.remove(one);
        assertThat(files.attributes("/a")).contains(attributes);
        assertThat(files.get(two).attributes()).isEqualTo(attributes);
        files.remove(two);
        assertThat(files.attributes("/a")).isEmpty();
        assertThat(files.size()).isZero();
    }

    @Test
    void aHandleThatIsNotOpenIsRefused() {
        assertThatExceptionOfType(FsException.class)
                .isThrownBy(() -> files.get(5))
                .matches(e -> e.errno() == Errno.EBADF);
        assertThatExceptionOfType(FsException.class)
                .isThrownBy(() -> files.remove(5))
                .matches(e -> e.errno() == Errno.EBADF);
    }
}
