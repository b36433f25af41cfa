package dev.forebay.lake.walk;

import dev.forebay.lake.LakeObject;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A listing on disk. One file records how the listing was divided, and each part has a file of its
 * own. A process that opens the folder again continues where the listing stopped. Only one process
 * at a time may use a folder.
 *
 * <p>Pages survive the death of a process. Pages that a machine loses in a crash are listed again.
 * Only divisions are synced: without its division, a completed part would seem to cover the keys of
 * the next part, too.
 */
final class Spool {

    private static final String DIVISION = "division";

    /** Changes whenever the format of records changes. */
    private static final String FORMAT = "1 ";

    /** The lake has probably changed since an older listing, which is then not worth keeping. */
    private static final Duration FRESH = Duration.ofHours(1);

    private final Path folder;

    private Spool(Path folder) {
        this.folder = folder;
    }

    /**
     * Opens a folder. Removes its content if it belongs to another listing, or to one that began
     * more than an hour ago.
     *
     * @param what identifies the listing
     */
    static Spool open(Path folder, String what) {
        Spool spool = new Spool(folder);
        try {
            String named = FORMAT + what;
            Path name = folder.resolve("listing");
            if (!Files.exists(name) || !isFresh(name) || !Files.readString(name).equals(named)) {
                spool.clear();
                Files.writeString(name, named);
            }
        } catch (IOException e) {
            throw spool.failed(e);
        }
        return spool;
    }

    private static boolean isFresh(Path file) throws IOException {
        return Files.getLastModifiedTime(file).toInstant().isAfter(Instant.now().minus(FRESH));
    }

    private void clear() throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "{*.part,division}")) {
            for (Path file : files) {
                Files.delete(file);
            }
        }
    }

    /** Reads how the listing was divided, and how far each part was listed. */
    List<KeyRange> ranges() {
        Map<Integer, KeyRange> ranges = new HashMap<>();
        try {
            if (Files.exists(folder.resolve(DIVISION))) {
                RecordFile.read(folder.resolve(DIVISION), record -> addTo(ranges, record));
            }
            for (KeyRange range : ranges.values()) {
                if (Files.exists(part(range))) {
                    RecordFile.read(part(range), record -> readHead(record, range));
                }
            }
        } catch (IOException e) {
            throw failed(e);
        }
        return new ArrayList<>(ranges.values());
    }

    private static void addTo(Map<Integer, KeyRange> ranges, DataInputStream record)
            throws IOException {
        int id = record.readInt();
        int parent = record.readInt();
        String from = optional(record);
        String upTo = optional(record);
        ranges.put(id, new KeyRange(id, from, upTo));
        KeyRange divided = ranges.get(parent);
        if (divided != null && parent != id) {
            divided.upTo = from;
        }
    }

    private static void readHead(DataInputStream record, KeyRange range) throws IOException {
        range.listed(optional(record), optional(record), optional(record));
        boolean last = record.readBoolean();
        // If they differ, the machine has lost the division that ended the range there, so the rest
        // must be listed.
        if (last && Objects.equals(range.cursor, range.upTo)) {
            range.state = KeyRange.State.DONE;
        }
    }

    /** Opens the file that records divisions. */
    Division division() {
        try {
            return new Division(RecordFile.open(folder.resolve(DIVISION), record -> {}));
        } catch (IOException e) {
            throw failed(e);
        }
    }

    /** Opens the file of a part, to append to it. */
    Part open(KeyRange range) {
        try {
            return new Part(RecordFile.open(part(range), record -> {}));
        } catch (IOException e) {
            throw failed(e);
        }
    }

    /** Passes on every listed object, in the order of the keys. */
    void forEach(Consumer<LakeObject> each) {
        List<KeyRange> ranges = ranges();
        ranges.sort(KeyRange.ORDER);
        try {
            for (KeyRange range : ranges) {
                if (Files.exists(part(range))) {
                    RecordFile.read(part(range), record -> readObjects(record, each));
                }
            }
        } catch (IOException e) {
            throw failed(e);
        }
    }

    private static void readObjects(DataInputStream record, Consumer<LakeObject> each)
            throws IOException {
        for (int i = 0; i < 3; i++) {
            optional(record);
        }
        record.readBoolean();
        int count = record.readInt();
        for (int i = 0; i < count; i++) {
            each.accept(
                    new LakeObject(
                            record.readUTF(),
                            record.readLong(),
                            Instant.ofEpochSecond(record.readLong(), record.readInt()),
                            record.readUTF(),
                            optional(record),
                            optional(record)));
        }
    }

    private Path part(KeyRange range) {
        return folder.resolve(range.id + ".part");
    }

    private ForebayException failed(IOException e) {
        return new ForebayException(
                ErrorCode.CAPACITY_EXCEEDED,
                "cannot keep a listing in %s: %s".formatted(folder, e),
                e);
    }

    private static @Nullable String optional(DataInputStream in) throws IOException {
        return in.readBoolean() ? in.readUTF() : null;
    }

    private static void writeOptional(DataOutputStream out, @Nullable String text)
            throws IOException {
        out.writeBoolean(text != null);
        if (text != null) {
            out.writeUTF(text);
        }
    }

    /** Records divisions. Not thread-safe. */
    final class Division implements AutoCloseable {

        private final RecordFile file;

        private Division(RecordFile file) {
            this.file = file;
        }

        /**
         * Adds a range. Call it before any of its pages is listed.
         *
         * @param parent the range that now ends where the new one begins; the range itself if it is
         *     the first
         */
        void add(KeyRange range, KeyRange parent) {
            try {
                ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                DataOutputStream out = new DataOutputStream(bytes);
                out.writeInt(range.id);
                out.writeInt(parent.id);
                writeOptional(out, range.from);
                writeOptional(out, range.upTo);
                file.append(bytes.toByteArray());
                file.sync();
            } catch (IOException e) {
                throw failed(e);
            }
        }

        @Override
        public void close() {
            try {
                file.close();
            } catch (IOException e) {
                throw failed(e);
            }
        }
    }

    /** Stores the pages of a range. Not thread-safe. */
    final class Part implements AutoCloseable {

        private final RecordFile file;

        private Part(RecordFile file) {
            this.file = file;
        }

        /**
         * Appends a page.
         *
         * @param objects those objects of the page that are kept
         * @param page holds the position up to which the range is listed, and whether that is its
         *     end
         */
        void add(List<LakeObject> objects, Ranges.Mine page) {
            try {
                ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                DataOutputStream out = new DataOutputStream(bytes);
                writeOptional(out, page.first());
                writeOptional(out, page.beyond());
                writeOptional(out, page.cursor());
                out.writeBoolean(page.last());
                out.writeInt(objects.size());
                for (LakeObject object : objects) {
                    out.writeUTF(object.key());
                    out.writeLong(object.size());
                    Instant modified = object.modified();
                    out.writeLong(modified.getEpochSecond());
                    out.writeInt(modified.getNano());
                    out.writeUTF(object.etag());
                    writeOptional(out, object.versionId());
                    writeOptional(out, object.storageClass());
                }
                file.append(bytes.toByteArray());
            } catch (IOException e) {
                throw failed(e);
            }
        }

        @Override
        public void close() {
            try {
                file.close();
            } catch (IOException e) {
                throw failed(e);
            }
        }
    }
}
