package dev.forebay.fuse.kernel;

import dev.forebay.fuse.fs.Errno;
import dev.forebay.fuse.fs.FileSystemView;
import dev.forebay.fuse.fs.FsException;
import dev.forebay.fuse.fs.Operation;
import dev.forebay.fuse.kernel.protocol.Opcode;
import dev.forebay.fuse.kernel.protocol.Owner;
import java.util.Arrays;

/** Maps each kind of request to its handler. */
final class HandlerTable {

    /**
     * The handling of one kind of request.
     *
     * @param operation the operation that metrics count it as
     * @param answered whether the kernel waits for a reply
     */
    record Entry(Operation operation, boolean answered, Handler handler) {}

    /** Answers ENOSYS, after which the kernel stops sending this kind of request. */
    private static final Entry UNKNOWN =
            new Entry(
                    Operation.OTHER,
                    true,
                    (request, _) -> {
                        throw new FsException(Errno.ENOSYS, "request " + request.opcode());
                    });

    private final Entry[] entries = new Entry[Opcode.COUNT];

    /** Creates a table without handlers. */
    HandlerTable() {
        Arrays.fill(entries, UNKNOWN);
    }

    /** Returns the handlers of a read-only file system. */
    static HandlerTable of(FileSystemView view, RememberedFiles files, Owner owner) {
        HandlerTable table = new HandlerTable();
        Refusals.addTo(table);
        new NodeHandlers(view, files, owner).addTo(table);
        new FileHandlers(files).addTo(table);
        new DirectoryHandlers(view, owner).addTo(table);
        new XattrHandlers(view).addTo(table);
        new MountHandlers(view).addTo(table);
        return table;
    }

    void on(int opcode, Operation operation, Handler handler) {
        entries[opcode] = new Entry(operation, true, handler);
    }

    /** Registers a handler for requests that the kernel expects no reply to. */
    void onUnanswered(int opcode, Operation operation, Handler handler) {
        entries[opcode] = new Entry(operation, false, handler);
    }

    Entry entry(int opcode) {
        return opcode >= 0 && opcode < entries.length ? entries[opcode] : UNKNOWN;
    }
}
