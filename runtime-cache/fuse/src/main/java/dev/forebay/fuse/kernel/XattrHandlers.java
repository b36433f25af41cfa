package dev.forebay.fuse.kernel;

import dev.forebay.fuse.fs.Errno;
import dev.forebay.fuse.fs.FileSystemView;
import dev.forebay.fuse.fs.FsException;
import dev.forebay.fuse.fs.Operation;
import dev.forebay.fuse.kernel.protocol.Opcode;
import dev.forebay.fuse.kernel.protocol.XattrMessage;
import java.nio.charset.StandardCharsets;

/** Handles extended attributes. */
final class XattrHandlers {

    private final FileSystemView view;

    XattrHandlers(FileSystemView view) {
        this.view = view;
    }

    void addTo(HandlerTable table) {
        table.on(Opcode.GETXATTR, Operation.XATTR, this::get);
        table.on(Opcode.LISTXATTR, Operation.XATTR, this::list);
    }

    private int get(Request request, Reply reply) {
        return answer(
                view.getxattr(request.node(), request.name(XattrMessage.NAME)), request, reply);
    }

    private int list(Request request, Reply reply) {
        StringBuilder names = new StringBuilder();
        for (String name : view.listxattr(request.node())) {
            names.append(name).append('\0');
        }
        return answer(names.toString().getBytes(StandardCharsets.UTF_8), request, reply);
    }

    private static int answer(byte[] bytes, Request request, Reply reply) {
        int size = XattrMessage.size(request.memory());
        if (size == 0) {
            XattrMessage.writeSize(reply.memory(), Reply.BODY, bytes.length);
            return XattrMessage.REPLY_BYTES;
        }
        if (reply.capacity(size) < bytes.length) {
            throw new FsException(Errno.ERANGE, bytes.length + " bytes");
        }
        return reply.put(bytes);
    }
}
