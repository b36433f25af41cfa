package dev.forebay.system;

import dev.forebay.manifest.Manifest;
import dev.forebay.manifest.Pack;
import dev.forebay.manifest.Segment;
import dev.forebay.manifest.sqlite.SqliteManifest;
import dev.forebay.model.Digest;
import dev.forebay.model.PackId;
import dev.forebay.placement.WorkerNode;
import dev.forebay.transfer.ReadEvents;
import dev.forebay.transfer.RegionReader;
import dev.forebay.transfer.RegionReaderConfig;
import dev.forebay.transfer.WorkerClient;
import dev.forebay.transfer.WorkerClientConfig;
import dev.forebay.transfer.WorkerSet;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** A way to read the bytes of a version's files. Used by one thread. */
interface FileReads {

    /** An open file. */
    interface Opened extends AutoCloseable {

        /**
         * Reads and compares.
         *
         * @param from may be at or behind the end
         * @throws IOException on an error, or if fewer bytes are returned than exist
         * @throws WrongAnswer if the bytes are wrong
         */
        void check(ModelContent content, int size, long from, int length) throws IOException;

        @Override
        void close() throws IOException;
    }

    /** The ways to read. */
    enum Way {
        BUFFERED,
        MAPPED,
        DIRECT,
        WORKERS
    }

    /** The longest single read, in bytes. */
    int LONGEST = 1 << 20;

    Opened open(ModelVersion version, String file) throws IOException;

    /** Returns the maximum number of reads of a file before another one is chosen. */
    int burst();

    /** Returns whether this way has names and attributes, too. */
    default boolean hasNames() {
        return true;
    }

    /**
     * Creates a reader for a way.
     *
     * @param manifests the directory with a manifest for each version
     * @param workers each as id, address and capacity in bytes, separated by blanks
     */
    static FileReads of(Way way, Path mountpoint, Path manifests, List<String> workers) {
        return switch (way) {
            case BUFFERED -> new ByCall(mountpoint);
            case DIRECT -> new PastThePageCache(mountpoint);
            case MAPPED -> new ByMapping(mountpoint);
            case WORKERS -> new FromWorkers(manifests, workers);
        };
    }

    private static void compare(ModelContent content, ByteBuffer read, long from) {
        long wrong = content.firstWrong(read, from);
        if (wrong >= 0) {
            throw new WrongAnswer(
                    "byte %d is wrong, in a read of %d from %d on"
                            .formatted(wrong, read.remaining(), from));
        }
    }

    private static void requireLength(long right, int got, long from) throws IOException {
        if (got != right) {
            throw new IOException("%d bytes instead of %d at %d".formatted(got, right, from));
        }
    }

    /** Reads through the mount with {@code pread}. */
    final class ByCall implements FileReads {
        private final ByteBuffer buffer = ByteBuffer.allocateDirect(LONGEST);
        private final Path mountpoint;

        ByCall(Path mountpoint) {
            this.mountpoint = mountpoint;
        }

        @Override
        public int burst() {
            return 2000;
        }

        @Override
        public Opened open(ModelVersion version, String file) throws IOException {
            FileChannel channel = FileChannel.open(version.path(mountpoint, file));
            return new Opened() {
                @Override
                public void check(ModelContent content, int size, long from, int length)
                        throws IOException {
                    int got = Math.max(0, channel.read(buffer.clear().limit(length), from));
                    compare(content, buffer.flip(), from);
                    requireLength(Math.clamp(size - from, 0, length), got, from);
                }

                @Override
                public void close() throws IOException {
                    channel.close();
                }
            };
        }
    }

    /** Reads whole blocks through the mount with O_DIRECT. */
    final class PastThePageCache implements FileReads {
        private static final int BLOCK = 4096;

        private final ByteBuffer buffer =
                ByteBuffer.allocateDirect(LONGEST + 2 * BLOCK).alignedSlice(BLOCK);
        private final Path mountpoint;

        PastThePageCache(Path mountpoint) {
            this.mountpoint = mountpoint;
        }

        @Override
        public int burst() {
            return 50;
        }

        @Override
        public Opened open(ModelVersion version, String file) throws IOException {
            LinuxFile direct = LinuxFile.openDirect(version.path(mountpoint, file));
            return new Opened() {
                @Override
                public void check(ModelContent content, int size, long from, int length)
                        throws IOException {
                    long at = from / BLOCK * BLOCK;
                    int asked = Math.ceilDiv(length, BLOCK) * BLOCK;
                    int got = direct.read(buffer, asked, at);
                    compare(content, buffer.clear().limit(got), at);
                    requireLength(Math.clamp(size - at, 0, asked), got, at);
                }

                @Override
                public void close() throws IOException {
                    direct.close();
                }
            };
        }
    }

    /** Reads through the mount with {@code mmap}. */
    final class ByMapping implements FileReads {
        private final Path mountpoint;
        private final byte[] copy = new byte[LONGEST];

        ByMapping(Path mountpoint) {
            this.mountpoint = mountpoint;
        }

        @Override
        public int burst() {
            return 200;
        }

        @Override
        public Opened open(ModelVersion version, String file) throws IOException {
            FileChannel channel = FileChannel.open(version.path(mountpoint, file));
            Arena arena = Arena.ofConfined();
            MemorySegment mapped =
                    channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena);
            return new Opened() {
                @Override
                public void check(ModelContent content, int size, long from, int length) {
                    int there = Math.clamp(size - from, 0, length);
                    if (there > 0) {
                        MemorySegment.copy(mapped, ValueLayout.JAVA_BYTE, from, copy, 0, there);
                        compare(content, ByteBuffer.wrap(copy, 0, there), from);
                    }
                }

                @Override
                public void close() throws IOException {
                    arena.close();
                    channel.close();
                }
            };
        }
    }

    /** Reads from the workers' chunk stores over the worker protocol. */
    final class FromWorkers implements FileReads {

        private record Place(Digest manifest, PackId pack, long offset) {}

        private final Map<String, Place> places = new HashMap<>();
        private final RegionReader region;
        private final ByteBuffer buffer = ByteBuffer.allocate(LONGEST);

        FromWorkers(Path manifests, List<String> workers) {
            for (ModelVersion version : ModelVersion.all()) {
                read(ModelRegion.manifest(manifests, version));
            }
            List<WorkerNode> nodes = new ArrayList<>();
            for (String worker : workers) {
                String[] words = worker.split(" ", -1);
                nodes.add(new WorkerNode(words[0], URI.create(words[1]), Long.parseLong(words[2])));
            }
            WorkerSet all =
                    new WorkerSet(
                            nodes, nodes.stream().map(WorkerNode::id).collect(Collectors.toSet()));
            region =
                    new RegionReader(
                            new WorkerClient(WorkerClientConfig.defaults()),
                            () -> all,
                            RegionReaderConfig.defaults(),
                            ReadEvents.NONE);
        }

        private void read(Path file) {
            Digest digest = ModelRegion.digest(file);
            try (Manifest manifest = SqliteManifest.open(file)) {
                for (Pack pack : manifest.packs()) {
                    for (Segment segment : manifest.segments(pack.id(), 0, pack.bytes())) {
                        places.put(
                                segment.key(), new Place(digest, pack.id(), segment.packOffset()));
                    }
                }
            }
        }

        @Override
        public int burst() {
            return 20;
        }

        @Override
        public boolean hasNames() {
            return false;
        }

        @Override
        public Opened open(ModelVersion version, String file) {
            Place place = places.get(ModelRegion.key(version, file));
            return new Opened() {
                @Override
                public void check(ModelContent content, int size, long from, int length) {
                    int there = Math.clamp(size - from, 0, length);
                    if (there > 0 && place != null) {
                        long start = place.offset() + from;
                        buffer.clear();
                        region.read(place.manifest(), place.pack(), start, start + there, buffer);
                        compare(content, buffer.flip(), from);
                    }
                }

                @Override
                public void close() {}
            };
        }
    }
}
