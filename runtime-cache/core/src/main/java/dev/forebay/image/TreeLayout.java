package dev.forebay.image;

import dev.forebay.manifest.Pack;
import dev.forebay.manifest.sqlite.EntryScan;
import dev.forebay.manifest.sqlite.NodeScan;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * The first pass of writing an image, over the manifest: it places every inode, writes the inodes
 * of files, and packs the names of directories.
 *
 * <p>It reads the manifest in two orders at once. Nodes come by id, and names come by the id of
 * their directory. The names of a directory are thus next when the directory is.
 */
final class TreeLayout {

    private static final int FILE_FILTER = Attribute.filter(Attribute.KEY, Attribute.ETAG);
    private static final int VERSIONED_FILE_FILTER =
            Attribute.filter(Attribute.KEY, Attribute.ETAG, Attribute.VERSION_ID);

    static final int DIRECTORY_FILTER = Attribute.filter(Attribute.VERSION, Attribute.MANIFEST);

    private final List<Pack> packs;
    private final InodeArea inodes;
    private final AttributeArea attributes;
    private final NodeNumbers numbers;
    private final DirectoryBlocks blocks;
    private final Area directories;
    private final int version;
    private final int manifest;
    private long nodes;
    private long directoryCount;
    private long rootNumber;

    /**
     * @param directories receives the {@link DirectoryInode}s
     */
    TreeLayout(
            ImageName name,
            List<Pack> packs,
            InodeArea inodes,
            AttributeArea attributes,
            NodeNumbers numbers,
            DirectoryBlocks blocks,
            Area directories)
            throws IOException {
        this.packs = packs;
        this.inodes = inodes;
        this.attributes = attributes;
        this.numbers = numbers;
        this.blocks = blocks;
        this.directories = directories;
        version = attributes.add(Attribute.VERSION, utf8(name.version().toString()));
        manifest = attributes.add(Attribute.MANIFEST, utf8(name.manifest().hex()));
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    void run(NodeScan nodeScan, EntryScan entryScan) throws IOException {
        boolean more = entryScan.next();
        while (nodeScan.next()) {
            nodes++;
            if (nodeScan.isDirectory()) {
                more = addDirectory(nodeScan, entryScan, more);
            } else {
                addFile(nodeScan);
            }
        }
        if (more) {
            throw new ForebayException(
                    ErrorCode.CORRUPT,
                    "node %d is below %d, which is not a directory"
                            .formatted(entryScan.id(), entryScan.parent()));
        }
        if (rootNumber == 0) {
            throw new ForebayException(ErrorCode.CORRUPT, "the manifest has no root directory");
        }
    }

    private boolean addDirectory(NodeScan node, EntryScan entries, boolean more)
            throws IOException {
        long id = node.id();
        boolean root = node.parent() == 0;
        blocks.begin(id, root ? id : node.parent());
        boolean rest = more;
        while (rest && entries.parent() == id) {
            blocks.add(entries.id(), entries.name());
            rest = entries.next();
        }
        DirectoryBlocks.Shape shape = blocks.end();
        long number = inodes.reserveDirectory(shape.tailBytes());
        numbers.add(id, number, true);
        new DirectoryInode(id, number, node.mtimeNanos(), shape)
                .spill(directories.extend(DirectoryInode.SPILLED_BYTES));
        directoryCount++;
        if (root) {
            rootNumber = number;
        }
        return rest;
    }

    private void addFile(NodeScan node) throws IOException {
        long id = node.id();
        long size = node.size();
        int pack = size == 0 ? 0 : node.pack();
        long offset = size == 0 ? 0 : node.packOffset();
        // The kernel would show zeros after the end of a device.
        if (size > 0
                && (offset % Erofs.BLOCK_BYTES != 0 || offset + size > packs.get(pack).bytes())) {
            throw new ForebayException(
                    ErrorCode.CORRUPT,
                    "node %d has an invalid offset %d in pack %d".formatted(id, offset, pack));
        }
        int key = attributes.add(Attribute.KEY, node.key());
        int etag = attributes.add(Attribute.ETAG, node.etag());
        byte[] versionId = node.versionId();
        long number =
                inodes.putFile(
                        id,
                        node.mtimeNanos(),
                        size,
                        pack + 1,
                        offset,
                        versionId == null ? FILE_FILTER : VERSIONED_FILE_FILTER,
                        versionId == null
                                ? new int[] {key, etag}
                                : new int[] {
                                    key, etag, attributes.add(Attribute.VERSION_ID, versionId)
                                });
        numbers.add(id, number, false);
    }

    /** Returns the number of inodes. */
    long nodes() {
        return nodes;
    }

    long directories() {
        return directoryCount;
    }

    long rootNumber() {
        return rootNumber;
    }

    /** Returns the attributes to which every directory's inode refers. */
    int[] directoryAttributes() {
        return new int[] {version, manifest};
    }
}
