package dev.forebay.image;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads an image as the kernel does. It uses the numbers in {@code erofs_fs.h} and not the writer's
 * code.
 */
final class ImageReader {

    /** An entry of a directory, as stored. */
    record Entry(String name, long number, int type, long block) {}

    /** A range of a file's bytes. */
    record Extent(int device, long offset) {}

    record Found(
            long number,
            int node,
            int mode,
            long size,
            Instant mtime,
            int links,
            int filter,
            Map<String, String> attributes,
            List<Extent> extents) {

        boolean isDirectory() {
            return (mode & 0170000) == 0040000;
        }
    }

    private static final int BLOCK = 4096;

    private final ByteBuffer image;

    ImageReader(Path file) throws IOException {
        image = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
    }

    long blocks() {
        return unsigned(1024 + 36);
    }

    long nodes() {
        return image.getLong(1024 + 16);
    }

    int rootNumber() {
        return image.getShort(1024 + 14) & 0xffff;
    }

    byte[] uuid() {
        return bytes(1024 + 48, 16);
    }

    String label() {
        return new String(bytes(1024 + 64, 16), StandardCharsets.US_ASCII).replace("\0", "");
    }

    int devices() {
        return image.getShort(1024 + 86) & 0xffff;
    }

    /** Returns the tag of a device, 1 for the first one. */
    String deviceTag(int device) {
        return new String(bytes(slot(device), 64), StandardCharsets.US_ASCII);
    }

    long deviceBlocks(int device) {
        return unsigned(slot(device) + 64);
    }

    private int slot(int device) {
        return 128 * ((image.getShort(1024 + 88) & 0xffff) + device - 1);
    }

    /**
     * Returns every path below the root, with a slash at the end of directories, and the root as
     * "/".
     */
    Map<String, Found> tree() {
        Map<String, Found> tree = new LinkedHashMap<>();
        walk("/", rootNumber(), tree);
        return tree;
    }

    private void walk(String path, long number, Map<String, Found> tree) {
        Found found = inode(number);
        tree.put(path, found);
        if (found.isDirectory()) {
            for (Entry entry : directory(number)) {
                if (!entry.name().equals(".") && !entry.name().equals("..")) {
                    walk(
                            path + entry.name() + (entry.type() == 2 ? "/" : ""),
                            entry.number(),
                            tree);
                }
            }
        }
    }

    Found inode(long number) {
        int at = at(number);
        long seconds = image.getLong(at + 32);
        int mode = image.getShort(at + 4) & 0xffff;
        long size = image.getLong(at + 8);
        return new Found(
                number,
                image.getInt(at + 20),
                mode,
                size,
                Instant.ofEpochSecond(seconds, image.getInt(at + 40)),
                image.getInt(at + 44),
                image.getInt(at + 64),
                attributes(at),
                layout(at) == 4 ? extents(at, size) : List.of());
    }

    private int at(long number) {
        return Math.toIntExact(unsigned(1024 + 40) * BLOCK + 32 * number);
    }

    private int layout(int at) {
        return image.getShort(at) >> 1;
    }

    private int attributesEnd(int at) {
        int count = image.getShort(at + 2) & 0xffff;
        return at + 64 + 12 + 4 * (count - 1);
    }

    private Map<String, String> attributes(int at) {
        Map<String, String> attributes = new LinkedHashMap<>();
        int shared = image.get(at + 64 + 4);
        for (int i = 0; i < shared; i++) {
            long id = unsigned(at + 64 + 12 + 4 * i);
            int entry = Math.toIntExact(unsigned(1024 + 44) * BLOCK + 4 * id);
            int nameBytes = image.get(entry) & 0xff;
            String name =
                    (image.get(entry + 1) == 1 ? "user." : "?")
                            + new String(bytes(entry + 4, nameBytes), StandardCharsets.UTF_8);
            attributes.put(name, new String(value(entry, nameBytes), StandardCharsets.UTF_8));
        }
        return attributes;
    }

    private byte[] value(int entry, int nameBytes) {
        return bytes(entry + 4 + nameBytes, image.getShort(entry + 2) & 0xffff);
    }

    private List<Extent> extents(int at, long size) {
        long chunkBytes = (long) BLOCK << (image.getShort(at + 16) & 0x1f);
        int index = Math.ceilDiv(attributesEnd(at), 8) * 8;
        List<Extent> extents = new ArrayList<>();
        for (long from = 0; from < size; from += chunkBytes, index += 8) {
            extents.add(
                    new Extent(image.getShort(index + 2) & 0xffff, unsigned(index + 4) * BLOCK));
        }
        return extents;
    }

    /** Returns the entries in stored order, including {@code .} and {@code ..}. */
    List<Entry> directory(long number) {
        int at = at(number);
        long size = image.getLong(at + 8);
        List<Entry> entries = new ArrayList<>();
        for (long from = 0; from < size; from += BLOCK) {
            int length = (int) Math.min(BLOCK, size - from);
            boolean inline = layout(at) == 2 && from + BLOCK > size;
            int block =
                    inline ? attributesEnd(at) : Math.toIntExact(unsigned(at + 16) * BLOCK + from);
            if (inline && block / BLOCK != (block + length - 1) / BLOCK) {
                throw new AssertionError("the end of directory " + number + " crosses a block");
            }
            block(ByteBuffer.wrap(bytes(block, length)), from / BLOCK, entries);
        }
        return entries;
    }

    static void block(ByteBuffer block, long number, List<Entry> entries) {
        block.order(ByteOrder.LITTLE_ENDIAN);
        int count = block.getShort(8) / 12;
        for (int i = 0; i < count; i++) {
            int name = block.getShort(12 * i + 8);
            int end = i + 1 < count ? block.getShort(12 * (i + 1) + 8) : block.limit();
            byte[] text = new byte[end - name];
            block.get(name, text);
            entries.add(
                    new Entry(
                            new String(text, StandardCharsets.UTF_8).replace("\0", ""),
                            block.getLong(12 * i),
                            block.get(12 * i + 10),
                            number));
        }
    }

    private byte[] bytes(int at, int count) {
        byte[] bytes = new byte[count];
        image.get(at, bytes);
        return bytes;
    }

    private long unsigned(int at) {
        return image.getInt(at) & 0xffff_ffffL;
    }
}
