package dev.forebay.chunkstore;

import dev.forebay.chunkstore.file.ChunkName;
import dev.forebay.model.PackId;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;

/**
 * Names, publishes, lists and deletes the chunk files of one directory. Touches only files with
 * names that it chose itself.
 */
final class ChunkFiles {

    private static final Pattern PACK = Pattern.compile("[0-9a-f]{64}");

    private final Path chunks;
    private final Path incoming;
    private final AtomicLong names = new AtomicLong();

    ChunkFiles(Path store) {
        chunks = store.resolve("chunks");
        incoming = store.resolve("incoming");
    }

    /** Creates the directories, and removes the files that the last process left unfinished. */
    void prepare() throws IOException {
        Files.createDirectories(chunks);
        Files.createDirectories(incoming);
        try (DirectoryStream<Path> left = Files.newDirectoryStream(incoming, "*.chunk")) {
            for (Path file : left) {
                Files.delete(file);
            }
        }
    }

    Path path(PackId pack, ChunkName name) {
        return directory(pack).resolve(name.toString());
    }

    private Path directory(PackId pack) {
        String hex = pack.digest().hex();
        return chunks.resolve(hex.substring(0, 2)).resolve(hex);
    }

    /** Returns the path of a file to be written, which does not exist yet. */
    Path incoming() {
        return incoming.resolve(names.incrementAndGet() + ".chunk");
    }

    /** Moves a written file to its place, and replaces a file that is there. */
    void publish(Path written, PackId pack, ChunkName name) throws IOException {
        Files.createDirectories(directory(pack));
        Files.move(
                written,
                path(pack, name),
                StandardCopyOption.ATOMIC_MOVE,
                StandardCopyOption.REPLACE_EXISTING);
    }

    void delete(PackId pack, ChunkName name) throws IOException {
        Files.deleteIfExists(path(pack, name));
    }

    /** Removes a pack's directory if no chunk is left in it. */
    void deleteDirectoryIfEmpty(PackId pack) throws IOException {
        Path directory = directory(pack);
        try {
            Files.delete(directory);
            Files.delete(chunks.resolve(pack.digest().hex().substring(0, 2)));
        } catch (DirectoryNotEmptyException | NoSuchFileException e) {
            // Still in use, or gone already.
        }
    }

    /** Returns the packs that have a directory. */
    List<PackId> packs() throws IOException {
        List<PackId> found = new ArrayList<>();
        try (DirectoryStream<Path> prefixes = Files.newDirectoryStream(chunks, "??")) {
            for (Path prefix : prefixes) {
                for (String name : list(prefix)) {
                    if (PACK.matcher(name).matches()
                            && name.startsWith(prefix.getFileName().toString())) {
                        found.add(PackId.parse(name));
                    }
                }
            }
        }
        return found;
    }

    /** Returns the files of a pack whose names are those of chunks. */
    List<ChunkName> chunks(PackId pack) throws IOException {
        List<ChunkName> found = new ArrayList<>();
        for (String file : list(directory(pack))) {
            ChunkName name = ChunkName.parse(file);
            if (name != null) {
                found.add(name);
            }
        }
        return found;
    }

    /** Returns the names only: a {@link DirectoryStream} takes three times as long. */
    private static String[] list(Path directory) throws IOException {
        String[] names = directory.toFile().list();
        if (names != null) {
            return names;
        }
        if (Files.isDirectory(directory)) {
            throw new IOException("cannot list " + directory);
        }
        return new String[0];
    }
}
