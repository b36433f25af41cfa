package dev.forebay.chunkstore;

import dev.forebay.model.ChunkId;
import dev.forebay.model.PackId;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/** Where chunk files are, and how they come and go. Touches nothing that it did not name itself. */
final class ChunkFiles {

    private static final Pattern PACK = Pattern.compile("[0-9a-f]{64}");
    private static final Pattern INDEX = Pattern.compile("0|[1-9][0-9]{0,8}");

    private final Path chunks;
    private final Path incoming;
    private final AtomicLong names = new AtomicLong();

    ChunkFiles(Path store) {
        chunks = store.resolve("chunks");
        incoming = store.resolve("incoming");
    }

    /** Makes the directories and removes what was being written when the last process ended. */
    void prepare() throws IOException {
        Files.createDirectories(chunks);
        Files.createDirectories(incoming);
        try (DirectoryStream<Path> left = Files.newDirectoryStream(incoming, "*.chunk")) {
            for (Path file : left) {
                Files.delete(file);
            }
        }
    }

    Path path(ChunkId id) {
        return directory(id.pack()).resolve(Integer.toString(id.index()));
    }

    private Path directory(PackId pack) {
        String hex = pack.digest().hex();
        return chunks.resolve(hex.substring(0, 2)).resolve(hex);
    }

    /** A name for a file to be written; not there yet. */
    Path incoming() {
        return incoming.resolve(names.incrementAndGet() + ".chunk");
    }

    /** Moves a written file to its place, over what was there. */
    void publish(Path written, ChunkId id) throws IOException {
        Files.createDirectories(directory(id.pack()));
        Files.move(
                written,
                path(id),
                StandardCopyOption.ATOMIC_MOVE,
                StandardCopyOption.REPLACE_EXISTING);
    }

    void delete(ChunkId id) throws IOException {
        Files.deleteIfExists(path(id));
    }

    /** Removes a pack's directory if its last chunk has gone. */
    void deleteDirectoryIfEmpty(PackId pack) throws IOException {
        Path directory = directory(pack);
        try {
            Files.delete(directory);
            Files.delete(chunks.resolve(pack.digest().hex().substring(0, 2)));
        } catch (DirectoryNotEmptyException | NoSuchFileException e) {
            // Still in use, or gone already.
        }
    }

    /** Calls {@code each} with every file that is named like a chunk. */
    void scan(Consumer<ChunkId> each) throws IOException {
        try (DirectoryStream<Path> prefixes = Files.newDirectoryStream(chunks, "??")) {
            for (Path prefix : prefixes) {
                scanPrefix(prefix, each);
            }
        }
    }

    private void scanPrefix(Path prefix, Consumer<ChunkId> each) throws IOException {
        try (DirectoryStream<Path> packs = Files.newDirectoryStream(prefix)) {
            for (Path directory : packs) {
                String name = directory.getFileName().toString();
                if (PACK.matcher(name).matches()
                        && name.startsWith(prefix.getFileName().toString())) {
                    scanPack(directory, PackId.parse(name), each);
                }
            }
        } catch (NotDirectoryException e) {
            // Not ours.
        }
    }

    private void scanPack(Path directory, PackId pack, Consumer<ChunkId> each) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            for (Path file : files) {
                String name = file.getFileName().toString();
                if (INDEX.matcher(name).matches()) {
                    each.accept(new ChunkId(pack, Integer.parseInt(name)));
                }
            }
        } catch (NotDirectoryException e) {
            // Not ours.
        }
        deleteDirectoryIfEmpty(pack);
    }
}
