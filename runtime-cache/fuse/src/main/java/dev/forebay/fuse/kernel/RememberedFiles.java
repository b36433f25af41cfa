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
 * The files that were read last, by inode, in the place of those that are open: which ones those
 * are the kernel does not say. Safe for use by many threads.
 */
final class RememberedFiles {

    private static final int FILES = 16_384;

    private final FileSystemView view;
    private final Cache<Long, OpenFile> files = Caffeine.newBuilder().maximumSize(FILES).build();

    RememberedFiles(FileSystemView view) {
        this.view = view;
    }

    /**
     * A file to read from.
     *
     * @throws ForebayException {@code EVICTING} if it has left the tree and is not remembered
     */
    OpenFile file(long inode) {
        OpenFile known = files.getIfPresent(inode);
        if (known != null) {
            return known;
        }
        // Not within the cache's lock: this may fetch a manifest.
        OpenFile opened = open(inode);
        return Objects.requireNonNullElse(files.asMap().putIfAbsent(inode, opened), opened);
    }

    /** One that is remembered. */
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
            // It was there when it was opened, or the kernel would not know the number.
            throw new ForebayException(
                    ErrorCode.EVICTING, "its version was evicted while the file was open", e);
        }
    }

    /**
     * The attributes of what is in the tree, or of a file that is remembered since it was.
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

    /** About how many. */
    int count() {
        return (int) files.estimatedSize();
    }
}
