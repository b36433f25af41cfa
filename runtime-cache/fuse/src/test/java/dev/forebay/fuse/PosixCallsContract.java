package dev.forebay.fuse;

import static dev.forebay.fuse.Libc.EACCES;
import static dev.forebay.fuse.Libc.EAGAIN;
import static dev.forebay.fuse.Libc.EBADF;
import static dev.forebay.fuse.Libc.EEXIST;
import static dev.forebay.fuse.Libc.EINVAL;
import static dev.forebay.fuse.Libc.EISDIR;
import static dev.forebay.fuse.Libc.ENAMETOOLONG;
import static dev.forebay.fuse.Libc.ENODATA;
import static dev.forebay.fuse.Libc.ENOENT;
import static dev.forebay.fuse.Libc.ENOTDIR;
import static dev.forebay.fuse.Libc.ERANGE;
import static dev.forebay.fuse.Libc.EROFS;
import static dev.forebay.fuse.Libc.EXDEV;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.forebay.fuse.Libc.Answer;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** "POSIX, call by call" of docs/semantics.md, for each view and transport. */
abstract class PosixCallsContract {

    private static final int PAGE = 4096;

    /** A file of whole blocks and a rest. */
    private static final String NAME = "sizes/131073.bin";

    private static final int SIZE = 131_073;
    private static final int SEEK_DATA = 3;
    private static final int SEEK_HOLE = 4;

    /** Returns the directory of a mounted version. */
    abstract Path root();

    /** Returns the objects of the version. */
    abstract SortedMap<String, byte[]> objects();

    /** Returns whether files can be read with direct I/O. */
    boolean readsDirectly() {
        return true;
    }

    private Path file() {
        return root().resolve(NAME);
    }

    private byte[] content(int from, int length) {
        byte[] all = objects().getOrDefault(NAME, new byte[0]);
        return Arrays.copyOfRange(all, from, from + length);
    }

    private Answer open(Path path, int flags) {
        Answer opened = Libc.call("open", path, flags, 0644);
        if (opened.result() >= 0) {
            Libc.call("close", (int) opened.result());
        }
        return opened;
    }

    private static byte[] bytes(MemorySegment segment, long length) {
        return segment.asSlice(0, length).toArray(JAVA_BYTE);
    }

    /** "Opening". */
    @Test
    void openAcceptsReadFlagsAndRefusesWriteFlags() {
        for (int flags :
                List.of(
                        Libc.O_RDONLY,
                        Libc.O_CREAT,
                        Libc.O_APPEND,
                        Libc.O_NOATIME,
                        Libc.O_NOFOLLOW,
                        Libc.O_PATH)) {
            assertThat(open(file(), flags).result()).as("%o", flags).isNotNegative();
        }
        assertThat(open(root(), Libc.O_DIRECTORY).result()).isNotNegative();
        for (int flags : List.of(Libc.O_WRONLY, Libc.O_RDWR, Libc.O_TRUNC)) {
            assertThat(open(file(), flags)).as("%o", flags).isEqualTo(Answer.error(EROFS));
        }
        assertThat(open(root().resolve("new"), Libc.O_CREAT | Libc.O_WRONLY))
                .isEqualTo(Answer.error(EROFS));
        assertThat(open(root(), Libc.O_TMPFILE | Libc.O_WRONLY)).isEqualTo(Answer.error(EROFS));
        assertThat(open(file(), Libc.O_CREAT | Libc.O_EXCL)).isEqualTo(Answer.error(EEXIST));
        assertThat(open(root(), Libc.O_WRONLY)).isEqualTo(Answer.error(EISDIR));
        assertThat(open(file(), Libc.O_DIRECTORY)).isEqualTo(Answer.error(ENOTDIR));
    }

    /** "Reading". */
    @Test
    void aReadIsShortAtTheEndOfTheFileAndEmptyBeyondIt() {
        try (Arena arena = Arena.ofConfined();
                NativeFile open = NativeFile.open(file())) {
            int fd = open.descriptor();
            MemorySegment buffer = arena.allocate(2 * SIZE, PAGE);
            assertThat(Libc.call("pread", fd, buffer, 2L * SIZE, 0L).result()).isEqualTo(SIZE);
            assertThat(bytes(buffer, SIZE)).isEqualTo(content(0, SIZE));
            assertThat(Libc.call("pread", fd, buffer, 100L, SIZE - 3L).result()).isEqualTo(3);
            assertThat(bytes(buffer, 3)).isEqualTo(content(SIZE - 3, 3));
            assertThat(Libc.call("pread", fd, buffer, 100L, (long) SIZE).result()).isZero();
            assertThat(Libc.call("pread", fd, buffer, 100L, 1L << 40).result()).isZero();
            assertThat(Libc.call("pread", fd, buffer, 0L, 5L).result()).isZero();
            assertThat(Libc.call("pread", fd, buffer, 1L, -1L)).isEqualTo(Answer.error(EINVAL));
            assertThat(Libc.call("lseek", fd, 0L, 1).result()).as("pread moves nothing").isZero();
            assertThat(Libc.call("read", fd, buffer, 10L).result()).isEqualTo(10);
            assertThat(Libc.call("read", fd, buffer, 10L).result()).isEqualTo(10);
            assertThat(bytes(buffer, 10)).isEqualTo(content(10, 10));
            assertThat(Libc.call("write", fd, buffer, 1L)).isEqualTo(Answer.error(EBADF));
        }
        try (Arena arena = Arena.ofConfined();
                NativeFile directory = NativeFile.open(root())) {
            assertThat(Libc.call("read", directory.descriptor(), arena.allocate(10), 10L))
                    .isEqualTo(Answer.error(EISDIR));
        }
    }

    /** "Reading". */
    @Test
    void vectoredReadsFillTheirBuffersInOrder() {
        int[] lengths = {1, 5000, 70_000, 100_000};
        try (Arena arena = Arena.ofConfined();
                NativeFile open = NativeFile.open(file())) {
            MemorySegment vector = arena.allocate(16L * lengths.length, 8);
            List<MemorySegment> parts = new ArrayList<>();
            for (int i = 0; i < lengths.length; i++) {
                MemorySegment part = arena.allocate(lengths[i]);
                parts.add(part);
                vector.set(JAVA_LONG, 16L * i, part.address());
                vector.set(JAVA_LONG, 16L * i + 8, lengths[i]);
            }
            int fd = open.descriptor();
            for (int from : List.of(7, 0)) {
                Answer answer =
                        from > 0
                                ? Libc.call("preadv", fd, vector, lengths.length, (long) from)
                                : Libc.call("readv", fd, vector, lengths.length);
                assertThat(answer.result()).isEqualTo(SIZE - from);
                int at = from;
                for (MemorySegment part : parts) {
                    int there = (int) Math.min(part.byteSize(), SIZE - at);
                    assertThat(bytes(part, there)).isEqualTo(content(at, there));
                    at += there;
                }
            }
        }
    }

    /** "Reading", "Mapping", "Seeking": all of them at random. */
    @Test
    void readsMappingsAndSeeksSeeTheSameBytes() {
        String large = "sizes/%d.bin".formatted(3 * (8 << 20) + 12_345);
        for (String name : List.of(NAME, large)) {
            byte[] content = objects().getOrDefault(name, new byte[0]);
            try (ReadOnlyFsx fsx =
                    new ReadOnlyFsx(root().resolve(name), content, System.nanoTime())) {
                fsx.run(2_000);
            }
        }
    }

    private Answer map(NativeFile open, int protection, int flags) {
        return Libc.call(
                "mmap", MemorySegment.NULL, (long) SIZE, protection, flags, open.descriptor(), 0L);
    }

    /** "Mapping". */
    @Test
    void mappingsEndWithZerosAndPrivateOnesAreWritable() {
        int read = 1;
        int write = 2;
        int shared = 1;
        int own = 2;
        try (Arena arena = Arena.ofConfined();
                NativeFile open = NativeFile.open(file())) {
            for (int flags : List.of(shared, own)) {
                int protection = flags == own ? read | write : read;
                Answer mapped = map(open, protection, flags);
                assertThat(mapped.errno()).isZero();
                long whole = Math.ceilDiv((long) SIZE, PAGE) * PAGE;
                MemorySegment memory = MemorySegment.ofAddress(mapped.result()).reinterpret(whole);
                MemorySegment copy = arena.allocate(whole);
                // Not by Java: a thread that waits there for a page stops this JVM's collector, and
                // thereby the thread that must fetch the page.
                Libc.call("memcpy", copy, memory, whole);
                assertThat(bytes(copy, SIZE)).isEqualTo(content(0, SIZE));
                assertThat(bytes(copy.asSlice(SIZE), whole - SIZE))
                        .isEqualTo(new byte[(int) (whole - SIZE)]);
                if (flags == own) {
                    memory.set(JAVA_BYTE, 0, (byte) ~content(0, 1)[0]);
                    byte[] first = new byte[1];
                    assertThat(open.read(first, 0).result()).isEqualTo(1);
                    assertThat(first).isEqualTo(content(0, 1));
                }
                assertThat(Libc.call("munmap", memory, (long) SIZE).errno()).isZero();
            }
            assertThat(map(open, read | write, shared)).isEqualTo(Answer.error(EACCES));
        }
    }

    /** "Mapping". */
    @Test
    void aMappedPageBeyondTheEndOfTheFileCannotBeRead() {
        int read = 1;
        int shared = 1;
        long whole = Math.ceilDiv((long) SIZE, PAGE) * PAGE;
        long length = whole + PAGE;
        try (NativeFile open = NativeFile.open(file())) {
            Answer mapped =
                    Libc.call(
                            "mmap",
                            MemorySegment.NULL,
                            length,
                            read,
                            shared,
                            open.descriptor(),
                            0L);
            assertThat(mapped.errno()).isZero();
            MemorySegment memory = MemorySegment.ofAddress(mapped.result()).reinterpret(length);
            // By Java, whose JVM turns SIGBUS into this error. No server is involved in this page.
            assertThatExceptionOfType(InternalError.class)
                    .isThrownBy(() -> memory.get(JAVA_BYTE, whole));
            assertThat(Libc.call("munmap", memory, length).errno()).isZero();
        }
    }

    /** "Seeking". */
    @Test
    void lseekFindsDataEverywhereAndAHoleAtTheEnd() {
        int enxio = 6;
        try (NativeFile open = NativeFile.open(file())) {
            int fd = open.descriptor();
            assertThat(Libc.call("lseek", fd, 100L, 0).result()).isEqualTo(100);
            assertThat(Libc.call("lseek", fd, 10L, 1).result()).isEqualTo(110);
            assertThat(Libc.call("lseek", fd, 5L, 2).result()).isEqualTo(SIZE + 5);
            assertThat(Libc.call("lseek", fd, -1L, 0)).isEqualTo(Answer.error(EINVAL));
            for (long from : List.of(0L, 1L, 70_000L, SIZE - 1L)) {
                assertThat(Libc.call("lseek", fd, from, SEEK_DATA).result()).isEqualTo(from);
                assertThat(Libc.call("lseek", fd, from, SEEK_HOLE).result()).isEqualTo(SIZE);
            }
            assertThat(Libc.call("lseek", fd, (long) SIZE, SEEK_DATA))
                    .isEqualTo(Answer.error(enxio));
            assertThat(Libc.call("lseek", fd, (long) SIZE, SEEK_HOLE))
                    .isEqualTo(Answer.error(enxio));
        }
    }

    /** "Attributes that stat and statx show". */
    @Test
    void statShowsOneLinkTheObjectsTimeAndAllBlocks() throws IOException {
        Map<String, Object> shown = Files.readAttributes(file(), "unix:*");
        assertThat(shown.get("nlink")).isEqualTo(1);
        assertThat(shown.get("mode")).isEqualTo(0100444);
        assertThat(shown.get("uid"))
                .isEqualTo(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
        assertThat(shown.get("size")).isEqualTo((long) SIZE);
        assertThat(shown.get("ctime")).isEqualTo(shown.get("lastModifiedTime"));
        assertThat(Files.getAttribute(root(), "unix:mode")).isEqualTo(040555);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment status = arena.allocate(256, 8);
            int basic = 0x7ff & ~0x20; // everything except the access time
            assertThat(Libc.call("statx", Libc.AT_FDCWD, file(), 0, basic, status).errno())
                    .isZero();
            assertThat(status.get(JAVA_INT, 0) & basic).as("known fields").isEqualTo(basic);
            assertThat(status.get(JAVA_INT, 4)).as("block size").isGreaterThanOrEqualTo(PAGE);
            assertThat(status.get(JAVA_LONG, 0x30) * 512)
                    .as("blocks")
                    .isBetween((long) SIZE, (long) SIZE + PAGE);
        }
    }

    private record Entry(String name, long inode, int type, long next) {}

    private static List<Entry> list(MemorySegment stream) {
        List<Entry> entries = new ArrayList<>();
        while (true) {
            MemorySegment dirent =
                    MemorySegment.ofAddress(Libc.call("readdir", stream).result()).reinterpret(280);
            if (dirent.address() == 0) {
                return entries;
            }
            entries.add(
                    new Entry(
                            dirent.getString(19, StandardCharsets.UTF_8),
                            dirent.get(JAVA_LONG, 0),
                            dirent.get(JAVA_BYTE, 18),
                            Libc.call("telldir", stream).result()));
        }
    }

    /** "Listing folders". */
    @Test
    void aListingNamesEachEntryOnceAndResumesFromAnyPosition() throws IOException {
        Path folder = root().resolve("many");
        Answer fd = Libc.call("open", folder, Libc.O_DIRECTORY);
        MemorySegment stream =
                MemorySegment.ofAddress(Libc.call("fdopendir", (int) fd.result()).result());
        List<Entry> entries = list(stream);
        assertThat(entries.stream().map(Entry::name)).doesNotHaveDuplicates().hasSize(10_002);
        assertThat(entries.stream().map(Entry::name)).contains(".", "..", "00000.txt");
        int regular = 8;
        for (int at : List.of(0, 1, 2, 999, 5000, 10_000, 10_001)) {
            Entry entry = entries.get(at);
            if (!entry.name().startsWith(".")) {
                assertThat(entry.type()).isIn(regular, 0);
            }
            Libc.call("seekdir", stream, entry.next());
            assertThat(list(stream))
                    .as("after %s", entry.name())
                    .isEqualTo(entries.subList(at + 1, entries.size()));
        }
        Libc.call("rewinddir", stream);
        assertThat(list(stream)).isEqualTo(entries);
        Libc.call("closedir", stream);
        Entry some = entries.get(7000);
        assertThat(Files.getAttribute(folder.resolve(some.name()), "unix:ino"))
                .isEqualTo(some.inode());
    }

    /** "Permissions". */
    @Test
    void accessPermitsReadingAndRefusesWritingAndExecuting() {
        int execute = 1;
        int write = 2;
        int read = 4;
        assertThat(Libc.call("access", file(), read).errno()).isZero();
        assertThat(Libc.call("access", root(), read | execute).errno()).isZero();
        assertThat(Libc.call("access", file(), write)).isEqualTo(Answer.error(EROFS));
        assertThat(Libc.call("access", root(), write)).isEqualTo(Answer.error(EROFS));
        assertThat(Libc.call("access", file(), execute)).isEqualTo(Answer.error(EACCES));
        assertThat(Libc.call("access", root().resolve("none"), read))
                .isEqualTo(Answer.error(ENOENT));
    }

    /** "Extended attributes". */
    @Test
    void xattrCallsReturnLengthsAndRefuseShortBuffers() {
        String name = "user.forebay.key";
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment value = arena.allocate(1000);
            assertThat(Libc.call("getxattr", file(), name, value, 0L).result())
                    .isEqualTo(NAME.length());
            assertThat(Libc.call("getxattr", file(), name, value, 1000L).result())
                    .isEqualTo(NAME.length());
            assertThat(value.getString(0)).isEqualTo(NAME);
            assertThat(Libc.call("getxattr", file(), name, value, 3L))
                    .isEqualTo(Answer.error(ERANGE));
            assertThat(Libc.call("getxattr", file(), "user.none", value, 1000L))
                    .isEqualTo(Answer.error(ENODATA));
            long length = Libc.call("listxattr", file(), value, 1000L).result();
            assertThat(new String(bytes(value, length), StandardCharsets.UTF_8).split("\0"))
                    .contains(name, "user.forebay.etag");
            assertThat(Libc.call("listxattr", file(), value, 3L)).isEqualTo(Answer.error(ERANGE));
        }
    }

    /** "Locks". */
    @Test
    void locksWorkBetweenTwoOpenFilesOfTheNode() {
        int shared = 1;
        int exclusive = 2;
        int dontWait = 4;
        int setOpenFileLock = 37;
        short readLock = 0;
        short writeLock = 1;
        try (Arena arena = Arena.ofConfined();
                NativeFile one = NativeFile.open(file());
                NativeFile other = NativeFile.open(file())) {
            assertThat(Libc.call("flock", one.descriptor(), shared).errno()).isZero();
            assertThat(Libc.call("flock", other.descriptor(), shared | dontWait).errno()).isZero();
            assertThat(Libc.call("flock", other.descriptor(), exclusive | dontWait))
                    .isEqualTo(Answer.error(EAGAIN));
            MemorySegment lock = arena.allocate(32, 8);
            lock.set(JAVA_SHORT, 0, readLock);
            assertThat(Libc.call("fcntl", one.descriptor(), setOpenFileLock, lock).errno())
                    .isZero();
            assertThat(Libc.call("fcntl", other.descriptor(), setOpenFileLock, lock).errno())
                    .isZero();
            lock.set(JAVA_SHORT, 0, writeLock);
            assertThat(Libc.call("fcntl", one.descriptor(), setOpenFileLock, lock))
                    .as("needs a file open for writing")
                    .isEqualTo(Answer.error(EBADF));
        }
    }

    /** "Direct reads". */
    @Test
    void directReadsReturnWholeBlocksAndTheRestAtTheEnd() {
        if (!readsDirectly()) {
            assertThat(open(file(), Libc.O_DIRECT)).isEqualTo(Answer.error(EINVAL));
            return;
        }
        try (NativeFile direct = NativeFile.openDirect(file())) {
            for (int from : List.of(0, PAGE, 15 * PAGE, 32 * PAGE)) {
                byte[] target = new byte[32 * PAGE];
                int there = Math.min(target.length, SIZE - from);
                assertThat(direct.read(target, from)).isEqualTo(new Answer(there, 0));
                assertThat(Arrays.copyOf(target, there)).isEqualTo(content(from, there));
            }
            assertThat(direct.read(new byte[PAGE], 33L * PAGE)).isEqualTo(new Answer(0, 0));
        }
    }

    /** "The file system itself". */
    @Test
    void theFileSystemIsReadOnlyAndFull() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment statvfs = arena.allocate(112, 8);
            assertThat(Libc.call("statvfs", file(), statvfs).errno()).isZero();
            assertThat(statvfs.get(JAVA_LONG, 0)).as("block size").isEqualTo(PAGE);
            assertThat(statvfs.get(JAVA_LONG, 24)).as("free blocks").isZero();
            assertThat(statvfs.get(JAVA_LONG, 32)).as("for users").isZero();
            assertThat(statvfs.get(JAVA_LONG, 72) & 1).as("read-only").isEqualTo(1);
            assertThat(statvfs.get(JAVA_LONG, 80)).as("longest name").isEqualTo(255);
        }
    }

    /** "Watching". */
    @Test
    void inotifyReportsReadsOfThisNode() {
        int access = 1;
        int nonBlocking = 04000;
        Answer watch = Libc.call("inotify_init1", nonBlocking);
        int fd = (int) watch.result();
        assertThat(Libc.call("inotify_add_watch", fd, file(), access).errno()).isZero();
        try (Arena arena = Arena.ofConfined();
                NativeFile open = NativeFile.open(file())) {
            MemorySegment event = arena.allocate(300);
            assertThat(Libc.call("read", fd, event, 300L)).isEqualTo(Answer.error(EAGAIN));
            assertThat(open.read(new byte[1], 0).result()).isEqualTo(1);
            assertThat(Libc.call("read", fd, event, 300L).result()).isPositive();
            assertThat(event.get(JAVA_INT, 4)).isEqualTo(access);
        } finally {
            Libc.call("close", fd);
        }
    }

    /** "Copying inside the kernel". */
    @Test
    void theKernelCopiesOutOfTheTree(@TempDir Path elsewhere) throws IOException {
        Path target = elsewhere.resolve("copy");
        for (String call : List.of("sendfile", "splice", "copy_file_range")) {
            Files.deleteIfExists(target);
            try (Arena arena = Arena.ofConfined();
                    NativeFile from = NativeFile.open(file());
                    NativeFile to = NativeFile.open(target, Libc.O_CREAT | Libc.O_RDWR)) {
                long copied = 0;
                while (copied < SIZE) {
                    Answer answer =
                            switch (call) {
                                case "sendfile" ->
                                        Libc.call(
                                                call,
                                                to.descriptor(),
                                                from.descriptor(),
                                                MemorySegment.NULL,
                                                (long) SIZE);
                                case "splice" -> throughPipe(arena, from, to);
                                default ->
                                        Libc.call(
                                                call,
                                                from.descriptor(),
                                                MemorySegment.NULL,
                                                to.descriptor(),
                                                MemorySegment.NULL,
                                                (long) SIZE,
                                                0);
                            };
                    if (call.equals("copy_file_range") && answer.errno() == EXDEV) {
                        break;
                    }
                    assertThat(answer.result()).as("%s: %s", call, answer).isPositive();
                    copied += answer.result();
                }
                if (copied > 0) {
                    assertThat(target).hasBinaryContent(content(0, SIZE));
                }
            }
        }
    }

    private static Answer throughPipe(Arena arena, NativeFile from, NativeFile to) {
        MemorySegment pipe = arena.allocate(8, 4);
        Libc.call("pipe", pipe);
        int out = pipe.get(JAVA_INT, 0);
        int in = pipe.get(JAVA_INT, 4);
        MemorySegment here = MemorySegment.NULL;
        Answer taken = Libc.call("splice", from.descriptor(), here, in, here, 50_000L, 0);
        assertThat(taken.result()).isPositive();
        Answer given = Libc.call("splice", out, here, to.descriptor(), here, taken.result(), 0);
        assertThat(given).isEqualTo(taken);
        Libc.call("close", in);
        Libc.call("close", out);
        return given;
    }

    /** "Nothing can be written": the checks of pjdfstest for a read-only file system, and more. */
    @TestFactory
    Stream<DynamicTest> everyCallThatWouldChangeSomethingIsRefused(@TempDir Path elsewhere) {
        Path folder = root().resolve("sizes");
        Path fresh = root().resolve("new");
        Path none = root().resolve("none/below");
        Path below = file().resolve("below");
        Path outside = elsewhere.resolve("outside");
        Map<List<Object>, Integer> expected = new HashMap<>();
        for (Path target : List.of(file(), folder)) {
            expected.put(List.of("chmod", target, 0600), EROFS);
            expected.put(List.of("chown", target, 1, 1), EROFS);
            expected.put(List.of("lchown", target, 1, 1), EROFS);
            expected.put(List.of("utimensat", Libc.AT_FDCWD, target, MemorySegment.NULL, 0), EROFS);
            expected.put(List.of("setxattr", target, "user.x", "v", 1L, 0), EROFS);
            expected.put(List.of("removexattr", target, "user.forebay.key"), EROFS);
            expected.put(List.of("rename", target, fresh), EROFS);
            expected.put(List.of("mkdir", target, 0755), EEXIST);
            expected.put(List.of("symlink", "anything", target), EEXIST);
            expected.put(List.of("mknod", target, 0100644, 0L), EEXIST);
            expected.put(List.of("access", target, 2), EROFS);
        }
        expected.put(List.of("link", file(), fresh), EROFS);
        expected.put(List.of("link", file(), outside), EXDEV);
        expected.put(List.of("rename", file(), outside), EXDEV);
        expected.put(List.of("rename", file(), root().resolve("sizes/1.bin")), EROFS);
        expected.put(List.of("truncate", file(), 0L), EROFS);
        expected.put(List.of("truncate", folder, 0L), EISDIR);
        expected.put(List.of("unlink", file()), EROFS);
        expected.put(List.of("unlink", fresh), EROFS);
        expected.put(List.of("rmdir", folder), EROFS);
        expected.put(List.of("mkdir", fresh, 0755), EROFS);
        expected.put(List.of("symlink", "anything", fresh), EROFS);
        expected.put(List.of("mknod", fresh, 0100644, 0L), EROFS);
        expected.put(List.of("mkfifo", fresh, 0644), EROFS);
        expected.put(List.of("open", fresh, Libc.O_CREAT | Libc.O_RDWR, 0644), EROFS);
        expected.put(List.of("chmod", fresh, 0600), ENOENT);
        expected.put(List.of("truncate", fresh, 0L), ENOENT);
        expected.put(List.of("mkdir", none, 0755), ENOENT);
        expected.put(List.of("unlink", none), ENOENT);
        expected.put(List.of("mkdir", below, 0755), ENOTDIR);
        expected.put(List.of("chmod", below, 0600), ENOTDIR);
        expected.put(List.of("unlink", below), ENOTDIR);
        expected.put(List.of("chmod", root().resolve("x".repeat(256)), 0600), ENAMETOOLONG);
        return expected.entrySet().stream()
                .map(
                        call ->
                                dynamicTest(
                                        call.getKey().toString(),
                                        () -> refused(call.getKey(), call.getValue())));
    }

    private static void refused(List<Object> call, int errno) {
        Object[] arguments = call.subList(1, call.size()).toArray();
        assertThat(Libc.call((String) call.getFirst(), arguments)).isEqualTo(Answer.error(errno));
    }

    /** "Nothing can be written": through a descriptor that is open for reading. */
    @Test
    void changesThroughAnOpenFileAreRefused() {
        try (NativeFile open = NativeFile.open(file())) {
            int fd = open.descriptor();
            assertThat(Libc.call("ftruncate", fd, 0L)).isEqualTo(Answer.error(EINVAL));
            assertThat(Libc.call("posix_fallocate", fd, 0L, 1L).result()).isEqualTo(EBADF);
            assertThat(Libc.call("fchmod", fd, 0600)).isEqualTo(Answer.error(EROFS));
            assertThat(Libc.call("fchown", fd, 1, 1)).isEqualTo(Answer.error(EROFS));
            assertThat(Libc.call("syncfs", fd).errno()).isZero();
        }
    }
}
