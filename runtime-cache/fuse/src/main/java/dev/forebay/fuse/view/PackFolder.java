package dev.forebay.fuse.view;

import dev.forebay.fuse.fs.Attributes;
import dev.forebay.fuse.fs.Errno;
import dev.forebay.fuse.fs.FileSystemView;
import dev.forebay.fuse.fs.FsException;
import dev.forebay.fuse.fs.OpenDirectory;
import dev.forebay.fuse.fs.OpenFile;
import dev.forebay.fuse.fs.PackBytes;
import dev.forebay.fuse.fs.ReadErrorContext;
import dev.forebay.fuse.fs.Statistics;
import dev.forebay.manifest.Pack;
import dev.forebay.model.Digest;
import dev.forebay.model.PackId;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Adds a hidden folder to the tree, with the packs of its versions as large files. They are the
 * devices of on-demand images. Only the kernel reads them.
 *
 * <p>A shared pack has one file per version, because a read for one version returns zeros where
 * only another version has bytes. A file's inode number, which is also its name, is derived from
 * version and pack. Every process that serves the mount therefore uses the same numbers.
 * Thread-safe.
 */
public final class PackFolder implements FileSystemView {

    /** Namespaces never begin with a dot. */
    static final String NAME = ".packs";

    /**
     * The folder's own number. The numbers of packs also have the topmost bit set, and no others
     * have it.
     */
    private static final long FOLDER = Long.MIN_VALUE;

    private static final Pattern NUMBER = Pattern.compile("[89a-f][0-9a-f]{15}");
    private static final int DIGITS = 16;

    private final FileSystemView tree;
    private final MountedPacks packs;
    private final PackBytes bytes;

    public PackFolder(FileSystemView tree, MountedPacks packs, PackBytes bytes) {
        this.tree = tree;
        this.packs = packs;
        this.bytes = bytes;
    }

    /**
     * Returns the number of a pack. Among a billion packs, the probability of any collision is
     * 1/20.
     */
    static long inode(Digest manifest, PackId pack) {
        long number = (number(manifest.hex()) ^ number(pack.toString())) | FOLDER;
        return number == FOLDER ? -1 : number;
    }

    private static long number(String hex) {
        return Long.parseUnsignedLong(hex.substring(0, DIGITS), 16);
    }

    /** Returns a pack's name in the folder. */
    static String name(Digest manifest, PackId pack) {
        return Long.toHexString(inode(manifest, pack));
    }

    private static boolean isOurs(long inode) {
        return inode < 0;
    }

    @Override
    public Attributes lookup(long parent, String name) {
        if (parent == ROOT && name.equals(NAME)) {
            return folder();
        }
        if (!isOurs(parent)) {
            return tree.lookup(parent, name);
        }
        if (parent != FOLDER) {
            throw new FsException(Errno.ENOTDIR, "a pack");
        }
        return Optional.of(name)
                .filter(NUMBER.asMatchPredicate())
                .flatMap(number -> packs.numbered(number(number)))
                .map(PackFolder::attributes)
                .orElseThrow(() -> new FsException(Errno.ENOENT, name));
    }

    @Override
    public Optional<Attributes> outline(long parent, String name) {
        return isOurs(parent) ? Optional.empty() : tree.outline(parent, name);
    }

    @Override
    public Attributes getattr(long inode) {
        if (!isOurs(inode)) {
            return tree.getattr(inode);
        }
        return inode == FOLDER ? folder() : attributes(pack(inode));
    }

    /** The folder itself can be listed, and appears empty. */
    @Override
    public OpenDirectory opendir(long inode) {
        if (!isOurs(inode)) {
            return tree.opendir(inode);
        }
        if (inode != FOLDER) {
            throw new FsException(Errno.ENOTDIR, "a pack");
        }
        return (offset, sink) -> {
            if (offset < 1 && !sink.accept(".", FOLDER, true, 1)) {
                return;
            }
            if (offset < 2) {
                sink.accept("..", ROOT, true, 2);
            }
        };
    }

    @Override
    public OpenFile open(long inode) {
        if (!isOurs(inode)) {
            return tree.open(inode);
        }
        if (inode == FOLDER) {
            throw new FsException(Errno.EISDIR, NAME);
        }
        return new OpenPack(pack(inode));
    }

    @Override
    public List<String> listxattr(long inode) {
        return isOurs(inode) ? List.of() : tree.listxattr(inode);
    }

    @Override
    public byte[] getxattr(long inode, String name) {
        if (isOurs(inode)) {
            throw new FsException(Errno.ENODATA, name);
        }
        return tree.getxattr(inode, name);
    }

    @Override
    public Statistics statfs() {
        return tree.statfs();
    }

    @Override
    public boolean isLasting(long inode) {
        return isOurs(inode) || tree.isLasting(inode);
    }

    @Override
    public boolean isHere(long inode) {
        if (!isOurs(inode)) {
            return tree.isHere(inode);
        }
        return inode == FOLDER || packs.isKnown(inode);
    }

    @Override
    public boolean isHere(long parent, String name) {
        if (!isOurs(parent)) {
            return tree.isHere(parent, name);
        }
        return !NUMBER.matcher(name).matches() || packs.isKnown(number(name));
    }

    @Override
    public String describe(long inode) {
        if (!isOurs(inode)) {
            return tree.describe(inode);
        }
        if (inode == FOLDER) {
            return NAME;
        }
        return packs.known(inode)
                .map(found -> "%s, pack %s".formatted(found.mount().version(), found.pack().id()))
                .orElse("a pack, inode " + Long.toUnsignedString(inode));
    }

    private MountedPacks.Found pack(long inode) {
        return packs.numbered(inode)
                .orElseThrow(
                        () -> new FsException(Errno.ENOENT, "no mounted version has this pack"));
    }

    private static Attributes folder() {
        return new Attributes(FOLDER, true, 0, 0);
    }

    /**
     * The modification time is constant, because the kernel discards cached pages when it changes.
     */
    private static Attributes attributes(MountedPacks.Found found) {
        return new Attributes(
                inode(found.manifest(), found.pack().id()), false, found.pack().bytes(), 0);
    }

    private final class OpenPack implements OpenFile {

        private final MountedPacks.Found found;

        OpenPack(MountedPacks.Found found) {
            this.found = found;
        }

        @Override
        public int read(long offset, ByteBuffer target) {
            Pack pack = found.pack();
            int length = Math.clamp(pack.bytes() - offset, 0, target.remaining());
            if (length > 0) {
                ByteBuffer wanted = target.slice(target.position(), length);
                ReadErrorContext.named(
                        found.mount().version(),
                        pack.id(),
                        offset,
                        () -> bytes.read(found.manifest(), pack, offset, wanted));
                target.position(target.position() + length);
            }
            return length;
        }

        @Override
        public boolean isHere(long offset, int length) {
            Pack pack = found.pack();
            long end = Math.min(pack.bytes(), offset + length);
            return end <= offset || bytes.areHere(found.manifest(), pack, offset, end);
        }

        @Override
        public Attributes attributes() {
            return PackFolder.attributes(found);
        }
    }
}
