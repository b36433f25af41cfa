package dev.forebay.fuse.fs;

import dev.forebay.fuse.fs.MountIndex.Upper;
import dev.forebay.fuse.fs.MountIndex.Version;
import dev.forebay.fuse.fs.PagedDirectory.Entry;
import dev.forebay.manifest.Node;
import dev.forebay.manifest.Pack;
import dev.forebay.manifest.cache.CachedManifest;
import dev.forebay.membership.Mount;
import dev.forebay.model.Digest;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Serves every mounted version of the region as files, {@code /namespace/name/version/...}. This
 * view answers each lookup and read itself, so it needs only FUSE on the node.
 */
public final class PortableView implements FileSystemView {

    private static final int PAGE = 1000;

    private final Manifests manifests;
    private final AttributeCache nodes;
    private final FileBytes bytes;
    private final InodeNumbers inodes;
    private final long startedNanos;
    private volatile MountIndex index = MountIndex.EMPTY;

    /**
     * Creates a view without versions; see {@link #show}.
     *
     * @param nodeLimit the maximum number of cached nodes
     * @param inodes the numbers of versions and of the directories above them
     * @param startedNanos the modification time of directories above the versions, since the epoch
     */
    public PortableView(
            Manifests manifests,
            FileBytes bytes,
            int nodeLimit,
            InodeNumbers inodes,
            long startedNanos) {
        this.manifests = manifests;
        this.nodes = new AttributeCache(manifests, nodeLimit);
        this.bytes = bytes;
        this.inodes = inodes;
        this.startedNanos = startedNanos;
    }

    /** Replaces the versions that this view shows. One thread at a time may call it. */
    public void show(List<Mount> mounts) {
        MountIndex before = index;
        index = new MountIndex(mounts, inodes);
        Set<Digest> stay =
                index.versions().values().stream()
                        .map(version -> version.mount().manifest().digest())
                        .collect(Collectors.toSet());
        before.versions().values().stream()
                .map(version -> version.mount().manifest().digest())
                .filter(digest -> !stay.contains(digest))
                .forEach(manifests::forget);
    }

    @Override
    public Attributes lookup(long parent, String name) {
        if (name.getBytes(StandardCharsets.UTF_8).length > Statistics.NAME_BYTES) {
            throw new FsException(Errno.ENAMETOOLONG, name);
        }
        MountIndex now = index;
        Upper upper = now.upper(parent);
        if (upper != null) {
            return switch (upper.children().get(name)) {
                case Upper child -> attributes(child);
                case Version version -> attributes(version, Node.ROOT_ID);
                case null -> throw new FsException(Errno.ENOENT, name);
            };
        }
        Version version = version(now, parent);
        Optional<Node> child =
                nodes.lookup(version.mount().manifest(), InodeNumbers.nodeIdOf(parent), name);
        if (child.isPresent()) {
            return attributes(version, child.get());
        }
        directory(version, parent);
        throw new FsException(Errno.ENOENT, name);
    }

    /**
     * Returns the outline of a version's topmost directory: the mount table proves that it exists.
     */
    @Override
    public Optional<Attributes> outline(long parent, String name) {
        Upper upper = index.upper(parent);
        if (upper == null
                || !(upper.children().get(name) instanceof Version version)
                || nodes.known(version.mount().manifest(), Node.ROOT_ID).isPresent()) {
            return Optional.empty();
        }
        return Optional.of(new Attributes(version.inode(), true, 0, startedNanos));
    }

    @Override
    public Attributes getattr(long inode) {
        MountIndex now = index;
        Upper upper = now.upper(inode);
        return upper != null
                ? attributes(upper)
                : attributes(version(now, inode), InodeNumbers.nodeIdOf(inode));
    }

    @Override
    public OpenDirectory opendir(long inode) {
        MountIndex now = index;
        Upper upper = now.upper(inode);
        if (upper != null) {
            return new PagedDirectory(inode, ROOT, after -> upperPage(upper, after));
        }
        Version version = version(now, inode);
        Node.Directory directory = directory(version, inode);
        return new PagedDirectory(
                inode, ROOT, after -> versionPage(version, directory.id(), after));
    }

    private static List<Entry> upperPage(Upper upper, String after) {
        return upper.children().tailMap(after + "\0").entrySet().stream()
                .map(child -> new Entry(child.getKey(), child.getValue().inode(), true))
                .toList();
    }

    private List<Entry> versionPage(Version version, long directoryId, String after) {
        return nodes.readdir(version.mount().manifest(), directoryId, after, PAGE).stream()
                .map(
                        node ->
                                new Entry(
                                        node.name(),
                                        InodeNumbers.of(version.number(), node.id()),
                                        node instanceof Node.Directory))
                .toList();
    }

    @Override
    public OpenFile open(long inode) {
        MountIndex now = index;
        if (now.upper(inode) != null) {
            throw new FsException(Errno.EISDIR, "inode " + inode);
        }
        Version version = version(now, inode);
        return switch (node(version, InodeNumbers.nodeIdOf(inode))) {
            case Node.Directory _ -> throw new FsException(Errno.EISDIR, "inode " + inode);
            case Node.File file ->
                    new ManifestFileHandle(
                            bytes,
                            version.name(),
                            version.mount().manifest().digest(),
                            packBytes(version, file),
                            file,
                            attributes(version, file));
        };
    }

    private long packBytes(Version version, Node.File file) {
        try (CachedManifest manifest = manifests.open(version.mount().manifest())) {
            return manifest.packs().stream()
                    .filter(pack -> pack.id().equals(file.pack()))
                    .mapToLong(Pack::bytes)
                    .findFirst()
                    .orElse(0);
        }
    }

    @Override
    public List<String> listxattr(long inode) {
        return List.copyOf(extendedAttributes(inode).keySet());
    }

    @Override
    public byte[] getxattr(long inode, String name) {
        String value = extendedAttributes(inode).get(name);
        if (value == null) {
            throw new FsException(Errno.ENODATA, name);
        }
        return value.getBytes(StandardCharsets.UTF_8);
    }

    private Map<String, String> extendedAttributes(long inode) {
        MountIndex now = index;
        if (now.upper(inode) != null) {
            return Map.of();
        }
        Version version = version(now, inode);
        return ExtendedAttributes.of(version.mount(), node(version, InodeNumbers.nodeIdOf(inode)));
    }

    @Override
    public Statistics statfs() {
        return index.statistics();
    }

    /** Nodes below a version's topmost directory never change; that directory comes and goes. */
    @Override
    public boolean isLasting(long inode) {
        return InodeNumbers.versionOf(inode) != 0 && InodeNumbers.nodeIdOf(inode) != Node.ROOT_ID;
    }

    @Override
    public boolean isHere(long inode) {
        Version version = index.versionOf(inode);
        return version == null || manifests.isHere(version.mount().manifest());
    }

    @Override
    public boolean isHere(long parent, String name) {
        return index.upper(parent) != null || isHere(parent);
    }

    @Override
    public String describe(long inode) {
        MountIndex now = index;
        Version version = now.versionOf(inode);
        if (version == null) {
            return "inode " + inode;
        }
        long id = InodeNumbers.nodeIdOf(inode);
        return "%s, %s"
                .formatted(
                        version.name(),
                        nodes.known(version.mount().manifest(), id)
                                .map(PortableView::describe)
                                .orElse("node " + id));
    }

    private static String describe(Node node) {
        return switch (node) {
            case Node.Directory directory -> "directory '%s'".formatted(directory.name());
            case Node.File file -> "key '%s'".formatted(file.key());
        };
    }

    private static Version version(MountIndex now, long inode) {
        Version version = now.versionOf(inode);
        if (version == null) {
            throw new FsException(Errno.ENOENT, "inode " + inode);
        }
        return version;
    }

    private Node node(Version version, long id) {
        return nodes.node(version.mount().manifest(), id)
                .orElseThrow(() -> new FsException(Errno.ENOENT, version.name() + ", node " + id));
    }

    private Node.Directory directory(Version version, long inode) {
        return switch (node(version, InodeNumbers.nodeIdOf(inode))) {
            case Node.Directory directory -> directory;
            case Node.File file -> throw new FsException(Errno.ENOTDIR, file.name());
        };
    }

    private Attributes attributes(Upper upper) {
        return new Attributes(upper.inode(), true, 0, startedNanos);
    }

    private Attributes attributes(Version version, long nodeId) {
        return attributes(version, node(version, nodeId));
    }

    private static Attributes attributes(Version version, Node node) {
        long inode = InodeNumbers.of(version.number(), node.id());
        return switch (node) {
            case Node.Directory directory -> new Attributes(inode, true, 0, directory.mtimeNanos());
            case Node.File file -> new Attributes(inode, false, file.size(), file.mtimeNanos());
        };
    }
}
