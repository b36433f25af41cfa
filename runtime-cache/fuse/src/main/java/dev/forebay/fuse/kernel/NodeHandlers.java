package dev.forebay.fuse.kernel;

import dev.forebay.fuse.fs.Attributes;
import dev.forebay.fuse.fs.Errno;
import dev.forebay.fuse.fs.FileSystemView;
import dev.forebay.fuse.fs.FsException;
import dev.forebay.fuse.fs.Operation;
import dev.forebay.fuse.kernel.protocol.AccessRequest;
import dev.forebay.fuse.kernel.protocol.AttributesReply;
import dev.forebay.fuse.kernel.protocol.EntryReply;
import dev.forebay.fuse.kernel.protocol.Opcode;
import dev.forebay.fuse.kernel.protocol.Owner;
import dev.forebay.fuse.kernel.protocol.RequestHeader;
import dev.forebay.fuse.kernel.protocol.StatxReply;
import java.util.Optional;

/**
 * Handles names and attributes. An inode number identifies its inode completely, so lookups leave
 * no state, and FORGET needs no work.
 */
final class NodeHandlers {

    private final FileSystemView view;
    private final RememberedFiles files;
    private final Owner owner;

    NodeHandlers(FileSystemView view, RememberedFiles files, Owner owner) {
        this.view = view;
        this.files = files;
        this.owner = owner;
    }

    void addTo(HandlerTable table) {
        table.on(Opcode.LOOKUP, Operation.LOOKUP, this::lookup);
        table.on(Opcode.GETATTR, Operation.GETATTR, this::getattr);
        table.on(Opcode.STATX, Operation.GETATTR, this::statx);
        table.on(Opcode.ACCESS, Operation.OTHER, this::access);
        table.on(Opcode.READLINK, Operation.OTHER, NodeHandlers::readlink);
        table.onUnanswered(Opcode.FORGET, Operation.FORGET, (_, _) -> 0);
        table.onUnanswered(Opcode.BATCH_FORGET, Operation.FORGET, (_, _) -> 0);
    }

    /**
     * If a LOOKUP fails, the kernel unmounts all mounts at that name. The outline, which needs no
     * manifest, is therefore preferred.
     */
    private int lookup(Request request, Reply reply) {
        String name = request.name(RequestHeader.BYTES);
        Optional<Attributes> outline = view.outline(request.node(), name);
        if (outline.isPresent()) {
            long seconds = Validity.MOMENT_SECONDS;
            EntryReply.writeOutline(reply.memory(), Reply.BODY, outline.get(), seconds, owner);
        } else {
            Attributes found = view.lookup(request.node(), name);
            long seconds = Validity.seconds(view, found.inode());
            EntryReply.write(reply.memory(), Reply.BODY, found, seconds, owner);
        }
        return EntryReply.BYTES;
    }

    private int getattr(Request request, Reply reply) {
        Attributes attributes = files.attributes(request.node());
        long seconds = Validity.seconds(view, attributes.inode());
        AttributesReply.write(reply.memory(), Reply.BODY, attributes, seconds, owner);
        return AttributesReply.BYTES;
    }

    private int statx(Request request, Reply reply) {
        Attributes attributes = files.attributes(request.node());
        long seconds = Validity.seconds(view, attributes.inode());
        StatxReply.write(reply.memory(), Reply.BODY, attributes, seconds, owner);
        return StatxReply.BYTES;
    }

    /**
     * The kernel checks permission bits itself; this is for a mount without default_permissions.
     */
    private int access(Request request, Reply reply) {
        int mask = AccessRequest.mask(request.memory());
        if ((mask & AccessRequest.W_OK) != 0) {
            throw new FsException(Errno.EROFS, "access");
        }
        if ((mask & AccessRequest.X_OK) != 0 && !files.attributes(request.node()).directory()) {
            throw new FsException(Errno.EACCES, "access");
        }
        return 0;
    }

    private static int readlink(Request request, Reply reply) {
        throw new FsException(Errno.EINVAL, "no symbolic link");
    }
}
