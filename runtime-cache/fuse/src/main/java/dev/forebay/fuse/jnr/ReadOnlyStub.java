package dev.forebay.fuse.jnr;

import dev.forebay.fuse.fs.Errno;
import jnr.ffi.Pointer;
import ru.serce.jnrfuse.FuseStubFS;
import ru.serce.jnrfuse.struct.FuseFileInfo;
import ru.serce.jnrfuse.struct.Timespec;

/**
 * Refuses every change with EROFS. The mount is read-only, so the kernel refuses most of them
 * itself.
 */
abstract class ReadOnlyStub extends FuseStubFS {

    private static final int REFUSED = -Errno.EROFS.number();

    @Override
    public int mknod(String path, long mode, long device) {
        return REFUSED;
    }

    @Override
    public int mkdir(String path, long mode) {
        return REFUSED;
    }

    @Override
    public int unlink(String path) {
        return REFUSED;
    }

    @Override
    public int rmdir(String path) {
        return REFUSED;
    }

    @Override
    public int symlink(String target, String path) {
        return REFUSED;
    }

    @Override
    public int rename(String from, String to) {
        return REFUSED;
    }

    @Override
    public int link(String from, String to) {
        return REFUSED;
    }

    @Override
    public int chmod(String path, long mode) {
        return REFUSED;
    }

    @Override
    public int chown(String path, long user, long group) {
        return REFUSED;
    }

    @Override
    public int truncate(String path, long size) {
        return REFUSED;
    }

    @Override
    public int write(String path, Pointer buffer, long size, long offset, FuseFileInfo info) {
        return REFUSED;
    }

    @Override
    public int create(String path, long mode, FuseFileInfo info) {
        return REFUSED;
    }

    @Override
    public int utimens(String path, Timespec[] times) {
        return REFUSED;
    }

    @Override
    public int setxattr(String path, String name, Pointer value, long size, int flags) {
        return REFUSED;
    }

    @Override
    public int removexattr(String path, String name) {
        return REFUSED;
    }

    @Override
    public int fallocate(String path, int mode, long offset, long length, FuseFileInfo info) {
        return REFUSED;
    }
}
