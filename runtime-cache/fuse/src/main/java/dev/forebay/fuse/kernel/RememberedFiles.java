package dev.forebay.fuse.kernel;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.forebay.fuse.fs.Attributes;
import dev.forebay.fuse.fs.Errno;
import dev.forebay.fuse.fs.FileSystemView;
import dev.forebay.fuse.fs.FsException;
import dev.forebay.fuse.fs.OpenFile;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A bounded cache of the files that were read last, by inode. It replaces a table of open files,
 * because the kernel does not report opens. Thread-safe.
 */
final class RememberedFiles {

    private static final int FILES = 16_384;

    private final FileSystemView view;
    private final Cache<Long, OpenFile> files = Caffeine.newBuilder().maximumSize(FILES).build();

    RememberedFiles(FileSystemView view) {
        this.view = view;
    }

    /**
     * Returns a file to read from.
     *
     * @throws ForebayException {@code EVICTING} if the file has left the tree and is not cached
     */
    OpenFile file(long inode) {
        OpenFile known = files.getIfPresent(inode);
        if (known != null) {
            return known;
        }
        // Not inside the cache's lock: this may fetch a manifest.
        OpenFile opened = open(inode);
        return Objects.requireNonNullElse(files.asMap().putIfAbsent(inode, opened), opened);
    }

    /** Returns the file if it is cached. */
    @Nullable OpenFile known(long inode) {
        return files.getIfPresent(inode);
    }

    private OpenFile open(long inode) {
        try {
            return view.open(inode);
        } catch (FsException e) {
            if (e.errno() != Errno.ENOENT) {
                throw e;
            }
            // The file existed when the program opened it, or the kernel would not know its number.
            throw new ForebayException(
                    ErrorCode.EVICTING, "its version was evicted while the file was open", e);
        }
    }

    /**
     * Returns the attributes of an inode in the tree, or of a cached file that has left the tree.
     *
     * @throws FsException ENOENT
     */
    Attributes attributes(long inode) {
        try {
            return view.getattr(inode);
        } catch (FsException e) {
            OpenFile known = files.getIfPresent(inode);
            if (known == null) {
                throw e;
            }
            return known.attributes();
        }
    }

    /** Returns the approximate number of cached files. */
    int count() {
        return (int) files.estimatedSize();
    }
}
