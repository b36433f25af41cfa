package dev.forebay.lake.walk;

import dev.forebay.lake.KeyOrder;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Keys without duplicates, in the order in which a lake lists them. They are merged from sorted
 * runs on disk: memory holds one run while sorting, and later a buffer for each run. Not
 * thread-safe.
 */
final class SortedKeys implements AutoCloseable {

    private final List<Run> runs = new ArrayList<>();
    private final PriorityQueue<Run> heads =
            new PriorityQueue<>(Comparator.comparing((Run run) -> run.head(), KeyOrder.UTF8));
    private @Nullable String last;

    private SortedKeys(List<Path> files) {
        try {
            for (Path file : files) {
                Run run = new Run(file);
                runs.add(run);
                if (run.advance()) {
                    heads.add(run);
                }
            }
        } catch (IOException e) {
            close();
            throw failed(e);
        }
    }

    /** Returns the next key; null after the last key. */
    @Nullable String next() {
        try {
            while (!heads.isEmpty()) {
                Run first = heads.remove();
                String key = first.head();
                if (first.advance()) {
                    heads.add(first);
                }
                if (!key.equals(last)) {
                    last = key;
                    return key;
                }
            }
            return null;
        } catch (IOException e) {
            throw failed(e);
        }
    }

    @Override
    public void close() {
        try {
            for (Run run : runs) {
                run.in.close();
            }
        } catch (IOException e) {
            throw failed(e);
        }
    }

    private static ForebayException failed(IOException e) {
        return new ForebayException(
                ErrorCode.CAPACITY_EXCEEDED, "cannot sort a list of keys on disk: " + e, e);
    }

    private static final class Run {

        private final DataInputStream in;
        private String head = "";

        Run(Path file) throws IOException {
            in = new DataInputStream(new BufferedInputStream(Files.newInputStream(file)));
        }

        String head() {
            return head;
        }

        boolean advance() throws IOException {
            try {
                head = in.readUTF();
                return true;
            } catch (EOFException end) {
                return false;
            }
        }
    }

    /** Collects keys in any order. */
    static final class Sorter {

        private static final int RUN_BYTES = 16 << 20;

        /** The memory that a key takes in addition to its characters. */
        private static final int KEY_BYTES = 48;

        private final Path folder;
        private final List<Path> files = new ArrayList<>();
        private final List<String> run = new ArrayList<>();
        private int bytes;

        /** Writes its runs to {@code folder}. */
        Sorter(Path folder) {
            this.folder = folder;
        }

        void add(String key) {
            run.add(key);
            bytes += KEY_BYTES + key.length();
            if (bytes >= RUN_BYTES) {
                write();
            }
        }

        boolean isEmpty() {
            return run.isEmpty() && files.isEmpty();
        }

        SortedKeys sorted() {
            if (!run.isEmpty()) {
                write();
            }
            return new SortedKeys(files);
        }

        private void write() {
            run.sort(KeyOrder.UTF8);
            Path file = folder.resolve(files.size() + ".run");
            try (DataOutputStream out =
                    new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(file)))) {
                for (String key : run) {
                    out.writeUTF(key);
                }
            } catch (IOException e) {
                throw failed(e);
            }
            files.add(file);
            run.clear();
            bytes = 0;
        }
    }
}
