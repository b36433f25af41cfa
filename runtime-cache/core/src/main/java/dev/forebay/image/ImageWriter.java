package dev.forebay.image;

import dev.forebay.manifest.Pack;
import dev.forebay.manifest.sqlite.EntryScan;
import dev.forebay.manifest.sqlite.NodeScan;
import dev.forebay.manifest.sqlite.SqliteManifest;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.List;

/**
 * Writes the parts of an image, each at a multiple of 4 KiB: {@link Head}, inodes, names of
 * directories, and extended attributes.
 */
final class ImageWriter implements AutoCloseable {

    /** The sizes of the image, in bytes. The attributes are at the end. */
    record Parts(long bytes, long attributeBytes, long nodes) {}

    private final FileChannel image;
    private final ScratchFile attributeScratch;
    private final ScratchFile numberScratch;
    private final ScratchFile nameScratch;
    private final ScratchFile directoryScratch;

    /**
     * @param file the path of the image; scratch files are created beside it
     */
    ImageWriter(FileChannel image, Path file) throws IOException {
        this.image = image;
        attributeScratch = ScratchFile.beside(file, ".attributes");
        numberScratch = ScratchFile.beside(file, ".numbers");
        nameScratch = ScratchFile.beside(file, ".names");
        directoryScratch = ScratchFile.beside(file, ".directories");
    }

    Parts write(Path manifest, ImageName name) throws IOException {
        List<Pack> packs = packs(manifest);
        Head head = new Head(name, packs);
        InodeArea inodes = new InodeArea(image, head.blocks() * Erofs.BLOCK_BYTES);
        AttributeArea attributes = new AttributeArea(attributeScratch.channel());
        NodeNumbers numbers = new NodeNumbers(numberScratch.channel());
        DirectoryBlocks names = new DirectoryBlocks(nameScratch.channel());
        Area directories = new Area(directoryScratch.channel(), 0);
        TreeLayout tree =
                new TreeLayout(name, packs, inodes, attributes, numbers, names, directories);
        try (NodeScan nodeScan = NodeScan.of(manifest);
                EntryScan entryScan = EntryScan.of(manifest)) {
            tree.run(nodeScan, entryScan);
        }
        names.finish();
        directories.flush();

        long namesAt = head.blocks() + Erofs.blocks(inodes.finish());
        long attributesAt = namesAt + Erofs.blocks(link(tree, head.blocks(), namesAt, numbers));
        long attributeBytes = attributes.finish();
        append(attributesAt * Erofs.BLOCK_BYTES, attributeBytes);
        long blocks = attributesAt + Erofs.blocks(attributeBytes);
        head.write(image, tree.nodes(), tree.rootNumber(), attributesAt, blocks);
        return new Parts(blocks * Erofs.BLOCK_BYTES, attributeBytes, tree.nodes());
    }

    private static List<Pack> packs(Path manifest) {
        try (SqliteManifest opened = SqliteManifest.open(manifest)) {
            return opened.packs();
        }
    }

    /** Completes the directories and returns the size of the blocks of names in bytes. */
    private long link(TreeLayout tree, long inodesAt, long namesAt, NodeNumbers numbers)
            throws IOException {
        ScratchReader directories = new ScratchReader(directoryScratch.channel());
        ScratchReader names = new ScratchReader(nameScratch.channel());
        try (Arena arena = Arena.ofConfined()) {
            DirectoryLinker linker =
                    new DirectoryLinker(
                            image,
                            inodesAt * Erofs.BLOCK_BYTES,
                            namesAt,
                            numbers.map(arena),
                            tree.directoryAttributes());
            for (long i = 0; i < tree.directories(); i++) {
                linker.link(
                        DirectoryInode.read(directories.next(DirectoryInode.SPILLED_BYTES)), names);
            }
            return linker.finish();
        }
    }

    /** Appends the attributes and pads the last block. */
    private void append(long from, long bytes) throws IOException {
        FileChannel source = attributeScratch.channel();
        image.position(from);
        for (long copied = 0; copied < bytes; ) {
            copied += source.transferTo(copied, bytes - copied, image);
        }
        ByteBuffer rest =
                ByteBuffer.allocate(
                        Math.toIntExact(Erofs.blocks(bytes) * Erofs.BLOCK_BYTES - bytes));
        while (rest.hasRemaining()) {
            image.write(rest);
        }
    }

    @Override
    public void close() throws IOException {
        try (attributeScratch;
                numberScratch;
                nameScratch;
                directoryScratch) {
            // The statement closes the files.
        }
    }
}
