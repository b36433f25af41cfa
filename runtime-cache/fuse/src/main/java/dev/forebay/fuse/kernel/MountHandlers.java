package dev.forebay.fuse.kernel;

import dev.forebay.fuse.fs.FileSystemView;
import dev.forebay.fuse.fs.Operation;
import dev.forebay.fuse.kernel.protocol.Opcode;
import dev.forebay.fuse.kernel.protocol.StatfsReply;

/** Handles requests about the whole mount. */
final class MountHandlers {

    private final FileSystemView view;

    MountHandlers(FileSystemView view) {
        this.view = view;
    }

    void addTo(HandlerTable table) {
        table.on(Opcode.STATFS, Operation.STATFS, this::statfs);
        table.on(Opcode.DESTROY, Operation.OTHER, (_, _) -> 0);
        // A caller received a signal. Most signals do not end a program, and the program would not
        // expect a failed read. If the signal ends the program, a wait for a page ends at once, and
        // other waits end with the answer.
        table.onUnanswered(Opcode.INTERRUPT, Operation.OTHER, (_, _) -> 0);
    }

    private int statfs(Request request, Reply reply) {
        StatfsReply.write(reply.memory(), Reply.BODY, view.statfs());
        return StatfsReply.BYTES;
    }
}
