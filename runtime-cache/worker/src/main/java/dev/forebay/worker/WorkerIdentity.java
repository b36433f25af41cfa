package dev.forebay.worker;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * A worker's id, kept in the file {@code worker-id} beside its chunks. Placement follows this id,
 * so a worker keeps the ownership of its chunks on any host and port.
 */
final class WorkerIdentity {

    private static final Pattern ID = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");

    private WorkerIdentity() {}

    /**
     * Returns the id of the worker in {@code directory}, and creates one on the first start.
     *
     * @throws ForebayException {@code INVALID_ARGUMENT} if the file holds something else
     */
    static String of(Path directory) {
        Path file = directory.resolve("worker-id");
        try {
            return check(file, Files.readString(file).strip());
        } catch (NoSuchFileException firstStart) {
            return create(directory, file);
        } catch (IOException e) {
            throw unusable("read", file, e);
        }
    }

    private static String create(Path directory, Path file) {
        String id = "w-" + UUID.randomUUID().toString().substring(0, 13);
        try {
            Path whole = file.resolveSibling("worker-id.new");
            try (FileChannel written =
                    FileChannel.open(
                            whole,
                            StandardOpenOption.CREATE,
                            StandardOpenOption.TRUNCATE_EXISTING,
                            StandardOpenOption.WRITE)) {
                written.write(ByteBuffer.wrap((id + "\n").getBytes(US_ASCII)));
                written.force(true);
            }
            Files.move(whole, file, StandardCopyOption.ATOMIC_MOVE);
            // Without this, a power failure may undo the rename, and the next start would create
            // another id.
            try (FileChannel names = FileChannel.open(directory, StandardOpenOption.READ)) {
                names.force(true);
            }
            return id;
        } catch (IOException e) {
            throw unusable("write", file, e);
        }
    }

    private static ForebayException unusable(String act, Path file, IOException cause) {
        return new ForebayException(
                ErrorCode.UNAVAILABLE,
                "cannot %s %s (%s): check the disk of forebay.worker.directory, and its permissions"
                        .formatted(act, file, cause),
                cause);
    }

    private static String check(Path file, String id) {
        if (!ID.matcher(id).matches()) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "%s contains '%s': a worker id must be 1 to 64 characters of A-Z a-z 0-9 . _ -"
                            .formatted(file, id));
        }
        return id;
    }
}
