package dev.forebay.fuse.kernel;

import dev.forebay.fuse.fs.Errno;
import dev.forebay.fuse.fs.FsException;
import dev.forebay.fuse.fs.Operation;
import dev.forebay.fuse.kernel.protocol.Opcode;

/**
 * Refuses every change with EROFS. The mount is read-only, so the kernel refuses most of them
 * itself.
 */
final class Refusals {

    private static final int[] CHANGES = {
        Opcode.SETATTR,
        Opcode.SYMLINK,
        Opcode.MKNOD,
        Opcode.MKDIR,
        Opcode.UNLINK,
        Opcode.RMDIR,
        Opcode.RENAME,
        Opcode.RENAME2,
        Opcode.LINK,
        Opcode.WRITE,
        Opcode.SETXATTR,
        Opcode.REMOVEXATTR,
        Opcode.CREATE,
        Opcode.TMPFILE,
        Opcode.FALLOCATE,
        Opcode.COPY_FILE_RANGE
    };

    private Refusals() {}

    static void addTo(HandlerTable table) {
        for (int change : CHANGES) {
            table.on(
                    change,
                    Operation.OTHER,
                    (request, _) -> {
                        throw new FsException(Errno.EROFS, "request " + request.opcode());
                    });
        }
    }
}
