package dev.forebay.fuse.fs;

import java.util.List;
import java.util.Optional;

/**
 * A read-only file system, addressed by inode number: what every transport serves.
 *
 * <p>Safe for use by many threads; calls may block while bytes are fetched. Methods throw {@link
 * FsException} for errors that a program asked for, and {@link dev.forebay.model.ForebayException}
 * when something cannot be served; {@link Errno#of} says what a program sees of that.
 */
public interface FileSystemView {

    /** The inode number of the topmost directory. */
    long ROOT = 1;

    /**
     * The child of a directory.
     *
     * @throws FsException ENOENT, ENOTDIR if {@code parent} is a file, ENAMETOOLONG
     */
    Attributes lookup(long parent, String name);

    /**
     * The child of a directory, as far as it is known without its attributes, if those are not at
     * hand: its number and what it is are right, its time means nothing. Waits for nothing.
     */
    default Optional<Attributes> outline(long parent, String name) {
        return Optional.empty();
    }

    /**
     * What is known of an inode.
     *
     * @throws FsException ENOENT if there is no such inode (any more)
     */
    Attributes getattr(long inode);

    /**
     * Opens a directory for listing.
     *
     * @throws FsException ENOENT, ENOTDIR
     */
    OpenDirectory opendir(long inode);

    /**
     * Opens a file for reading. It can be read as long as it is open, also when its version leaves
     * the tree meanwhile.
     *
     * @throws FsException ENOENT, EISDIR
     */
    OpenFile open(long inode);

    /** The names of the extended attributes. */
    List<String> listxattr(long inode);

    /**
     * The value of an extended attribute.
     *
     * @throws FsException ENOENT, ENODATA
     */
    byte[] getxattr(long inode, String name);

    Statistics statfs();

    /**
     * Whether the name and the attributes of an inode can be remembered for ever: as long as it can
     * be reached through its parent it is there, and the same. Of others this holds for a moment.
     * Knows it from the number alone.
     */
    boolean isLasting(long inode);

    /**
     * Whether what is asked of an inode, its bytes apart, would be answered from this node; else it
     * may wait for others, and long. A guess, made without waiting.
     */
    default boolean isHere(long inode) {
        return true;
    }

    /** The same of a name in a directory, or of its {@link #outline}. */
    default boolean isHere(long parent, String name) {
        return isHere(parent);
    }

    /** What a person knows an inode as, for messages. Never fails. */
    String describe(long inode);
}
