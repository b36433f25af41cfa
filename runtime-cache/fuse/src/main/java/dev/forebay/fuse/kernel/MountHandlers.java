package dev.forebay.fuse.kernel;

import dev.forebay.fuse.fs.FileSystemView;
import dev.forebay.fuse.fs.Operation;
import dev.forebay.fuse.kernel.protocol.Opcode;
import dev.forebay.fuse.kernel.protocol.StatfsReply;

/** What is about the mount as a whole. */
final class MountHandlers {

    private final FileSystemView view;

    MountHandlers(FileSystemView view) {
        this.view = view;
    }

    void addTo(HandlerTable table) {
        table.on(Opcode.STATFS, Operation.STATFS, this::statfs);
        table.on(Opcode.DESTROY, Operation.OTHER, (_, _) -> 0);
        // A caller got a signal. Most of them do not end it, and would not expect a read to fail;
        // one that ends it frees those who wait for a page at once, and others after their answer.
        table.onUnanswered(Opcode.INTERRUPT, Operation.OTHER, (_, _) -> 0);
    }

    private int statfs(Request request, Reply reply) {
        StatfsReply.write(reply.memory(), Reply.BODY, view.statfs());
        return StatfsReply.BYTES;
    }
}
