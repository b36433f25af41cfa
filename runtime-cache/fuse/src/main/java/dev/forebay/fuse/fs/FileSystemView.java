package dev.forebay.fuse.fs;

import java.util.List;
import java.util.Optional;

/**
 * A read-only file system, addressed by inode number. Every transport serves one.
 *
 * <p>Thread-safe. Calls may block while bytes are fetched. Methods throw {@link FsException} for
 * errors that are normal answers to a program. They throw {@link
 * dev.forebay.model.ForebayException} if something cannot be served; {@link Errno#of} maps that to
 * an error number.
 */
public interface FileSystemView {

    /** The inode number of the root directory. */
    long ROOT = 1;

    /**
     * Returns the attributes of a directory's child.
     *
     * @throws FsException ENOENT, ENOTDIR if {@code parent} is a file, ENAMETOOLONG
     */
    Attributes lookup(long parent, String name);

    /**
     * Returns the number and the type of a directory's child if its attributes are not available at
     * once. The modification time of the result is meaningless. Never blocks.
     */
    default Optional<Attributes> outline(long parent, String name) {
        return Optional.empty();
    }

    /**
     * Returns the attributes of an inode.
     *
     * @throws FsException ENOENT if the inode does not exist, or exists no longer
     */
    Attributes getattr(long inode);

    /**
     * Opens a directory for listing.
     *
     * @throws FsException ENOENT, ENOTDIR
     */
    OpenDirectory opendir(long inode);

    /**
     * Opens a file for reading. The open file stays readable when its version leaves the tree.
     *
     * @throws FsException ENOENT, EISDIR
     */
    OpenFile open(long inode);

    /** Returns the names of the extended attributes. */
    List<String> listxattr(long inode);

    /**
     * Returns the value of an extended attribute.
     *
     * @throws FsException ENOENT, ENODATA
     */
    byte[] getxattr(long inode, String name);

    Statistics statfs();

    /**
     * Returns whether a kernel may cache the name and the attributes of an inode without a time
     * limit. Such an inode exists, unchanged, as long as its parent can be reached. Other inodes
     * may be cached for a moment only. Decides by the number alone.
     */
    boolean isLasting(long inode);

    /**
     * Returns whether this node can answer requests about an inode other than reads. If not, a
     * request may block for long. This is a guess, and it never blocks.
     */
    default boolean isHere(long inode) {
        return true;
    }

    /** Returns the same for a name in a directory, or for its {@link #outline}. */
    default boolean isHere(long parent, String name) {
        return isHere(parent);
    }

    /** Returns a description of an inode for messages. Never fails. */
    String describe(long inode);
}
