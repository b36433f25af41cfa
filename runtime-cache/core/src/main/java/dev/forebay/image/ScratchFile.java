package dev.forebay.image;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * An unnamed temporary file. Its space is freed when it is closed, even if the process is killed.
 */
final class ScratchFile implements AutoCloseable {

    private final FileChannel channel;

    private ScratchFile(FileChannel channel) {
        this.channel = channel;
    }

    /**
     * Creates a file in the directory of {@code file}. It has a name only for a moment, made of
     * that name and a suffix.
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
