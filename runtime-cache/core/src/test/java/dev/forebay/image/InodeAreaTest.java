package dev.forebay.image;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InodeAreaTest {

    private static final long TIB = 1L << 40;

    @TempDir Path directory;
    private ScratchFile file;
    private InodeArea area;

    @BeforeEach
    void open() throws IOException {
        file = ScratchFile.beside(directory.resolve("x"), ".inodes");
        area = new InodeArea(file.channel(), 0);
    }

    @AfterEach
    void close() throws IOException {
        file.close();
    }

    private ByteBuffer at(long number) throws IOException {
        area.finish();
        ByteBuffer all =
                ByteBuffer.allocate((int) file.channel().size()).order(ByteOrder.LITTLE_ENDIAN);
        file.channel().read(all, 0);
        return all.position((int) number * 32).slice().order(ByteOrder.LITTLE_ENDIAN);
    }

    private long putFile(long size, int attributes) throws IOException {
        return area.putFile(7, 0, size, 1, 0, 0, new int[attributes]);
    }

    @Test
    void aFileTakes96Bytes() throws IOException {
        assertThat(putFile(1, 2)).as("0 would mean no inode").isEqualTo(1);
        assertThat(putFile(8 * TIB, 3)).isEqualTo(1 + 3);
        assertThat(putFile(0, 3)).isEqualTo(1 + 2 * 3);
        assertThat(putFile(1, 2)).isEqualTo(1 + 3 * 3);
    }

    @Test
    void aFileOfMoreThan8TibHasTwoChunks() throws IOException {
        long number = area.putFile(7, 0, 8 * TIB + 1, 3, 4096 * 5, 0, 1, 2);
        ByteBuffer inode = at(number);
        assertThat(inode.getShort(0)).as("extended, chunk-based").isEqualTo((short) (1 | 4 << 1));
        assertThat(inode.getShort(16)).as("indexes, 2^31 blocks").isEqualTo((short) (0x20 | 31));
        assertThat(inode.getShort(88 + 2)).isEqualTo((short) 3);
        assertThat(inode.getInt(88 + 4)).isEqualTo(5);
        assertThat(inode.getShort(96 + 2)).isEqualTo((short) 3);
        assertThat(inode.getInt(96 + 4)).isEqualTo((int) (5 + (1L << 31)));
    }

    @Test
    void timesBeforeTheEpochHavePositiveNanoseconds() throws IOException {
        ByteBuffer inode = at(area.putFile(7, -1, 0, 0, 0, 0, 1));
        assertThat(inode.getLong(32)).isEqualTo(-1);
        assertThat(inode.getInt(40)).isEqualTo(999_999_999);
    }

    @Test
    void aDirectoryInodeAndItsTailShareABlock() throws IOException {
        long first = area.reserveDirectory(3000);
        assertThat(first).isEqualTo(1);
        assertThat(area.reserveDirectory(InodeArea.MAX_TAIL_BYTES)).isEqualTo(4096 / 32);
        assertThat(area.reserveDirectory(0)).isEqualTo(2 * 4096 / 32);
        assertThat(area.reserveDirectory(4096 - 96 - 84)).isEqualTo(2 * 4096 / 32 + 3);
        assertThat(area.finish()).isEqualTo(3 * 4096);
    }
}
