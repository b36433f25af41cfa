package dev.forebay.image;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A file without a name: what is spilled to it is gone when it is closed, however that comes. */
final class ScratchFile implements AutoCloseable {

    private final FileChannel channel;

    private ScratchFile(FileChannel channel) {
        this.channel = channel;
    }

    /**
     * Makes one where {@code file} is; only for a moment it has a name, made of that and a suffix.
     */
    static ScratchFile beside(Path file, String suffix) throws IOException {
        Path path = file.resolveSibling(file.getFileName() + suffix);
        FileChannel channel =
                FileChannel.open(
                        path,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.TRUNCATE_EXISTING,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE);
        Files.delete(path);
        return new ScratchFile(channel);
    }

    FileChannel channel() {
        return channel;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
