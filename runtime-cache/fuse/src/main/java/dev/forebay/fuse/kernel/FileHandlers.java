package dev.forebay.fuse.kernel;

import dev.forebay.fuse.fs.Errno;
import dev.forebay.fuse.fs.FsException;
import dev.forebay.fuse.fs.Operation;
import dev.forebay.fuse.kernel.protocol.Opcode;
import dev.forebay.fuse.kernel.protocol.ReadRequest;
import dev.forebay.fuse.kernel.protocol.SeekMessage;

/**
 * Handles reads and seeks. It answers the first OPEN with ENOSYS, after which the kernel opens
 * files without asking (since 7.23). This saves two requests per file and leaves no handle that a
 * successor would need. The files that were read last are remembered by inode instead.
 */
final class FileHandlers {

    private final RememberedFiles files;

    FileHandlers(RememberedFiles files) {
        this.files = files;
    }

    void addTo(HandlerTable table) {
        table.on(Opcode.OPEN, Operation.OPEN, FileHandlers::notNeeded);
        table.on(Opcode.READ, Operation.READ, this::read);
        table.on(Opcode.LSEEK, Operation.OTHER, this::seek);
        // Another release of this program may have opened files with handles.
        table.on(Opcode.RELEASE, Operation.RELEASE, (_, _) -> 0);
        // There are no writes to flush. ENOSYS makes the kernel stop sending these requests.
        table.on(Opcode.FLUSH, Operation.OTHER, FileHandlers::notNeeded);
        table.on(Opcode.FSYNC, Operation.OTHER, FileHandlers::notNeeded);
    }

    private static int notNeeded(Request request, Reply reply) {
        throw new FsException(Errno.ENOSYS, "not needed");
    }

    private int read(Request request, Reply reply) {
        int length = reply.capacity(ReadRequest.size(request.memory()));
        return files.file(request.node())
                .read(ReadRequest.offset(request.memory()), reply.buffer(length));
    }

    /** Answers SEEK_DATA and SEEK_HOLE: a file is one range of data without holes. */
    private int seek(Request request, Reply reply) {
        long offset = SeekMessage.offset(request.memory());
        long size = files.attributes(request.node()).size();
        if (offset < 0 || offset >= size) {
            throw new FsException(Errno.ENXIO, "behind the end");
        }
        long found =
                switch (SeekMessage.whence(request.memory())) {
                    case SeekMessage.SEEK_DATA -> offset;
                    case SeekMessage.SEEK_HOLE -> size;
                    default -> throw new FsException(Errno.EINVAL, "whence");
                };
        SeekMessage.write(reply.memory(), Reply.BODY, found);
        return SeekMessage.REPLY_BYTES;
    }
}
