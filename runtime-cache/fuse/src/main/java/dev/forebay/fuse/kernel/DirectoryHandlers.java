package dev.forebay.fuse.kernel;

import dev.forebay.fuse.fs.Attributes;
import dev.forebay.fuse.fs.FileSystemView;
import dev.forebay.fuse.fs.OpenDirectory;
import dev.forebay.fuse.fs.Operation;
import dev.forebay.fuse.kernel.protocol.DirectoryEntry;
import dev.forebay.fuse.kernel.protocol.EntryReply;
import dev.forebay.fuse.kernel.protocol.Opcode;
import dev.forebay.fuse.kernel.protocol.OpenReply;
import dev.forebay.fuse.kernel.protocol.Owner;
import dev.forebay.fuse.kernel.protocol.ReadRequest;
import dev.forebay.fuse.kernel.protocol.ReleaseRequest;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Handles OPENDIR, READDIR and RELEASEDIR. A handle only saves a listing from a restart. The
 * directory of an unknown handle is opened again by its inode. A handle is unknown if another
 * process assigned it, or if too many are open.
 */
final class DirectoryHandlers {

    private final FileSystemView view;
    private final Owner owner;
    private final RememberedDirectories open = new RememberedDirectories();

    /** Starts at a random number, so that two processes assign different handles. */
    private final AtomicLong handles = new AtomicLong(new SecureRandom().nextLong() >>> 1);

    DirectoryHandlers(FileSystemView view, Owner owner) {
        this.view = view;
        this.owner = owner;
    }

    void addTo(HandlerTable table) {
        table.on(Opcode.OPENDIR, Operation.OPENDIR, this::opendir);
        table.on(
                Opcode.READDIR,
                Operation.READDIR,
                (request, reply) -> list(request, new Plain(reply, request.memory())));
        table.on(
                Opcode.READDIRPLUS,
                Operation.READDIR,
                (request, reply) -> list(request, new WithAttributes(reply, request.memory())));
        table.on(Opcode.RELEASEDIR, Operation.RELEASE, this::releasedir);
        table.on(Opcode.FSYNCDIR, Operation.OTHER, (_, _) -> 0);
    }

    private int opendir(Request request, Reply reply) {
        long inode = request.node();
        OpenDirectory directory = view.opendir(inode);
        long handle = handles.incrementAndGet();
        open.put(handle, directory);
        int flags = view.isLasting(inode) ? OpenReply.KEEP_CACHE | OpenReply.CACHE_DIR : 0;
        OpenReply.write(reply.memory(), Reply.BODY, handle, flags);
        return OpenReply.BYTES;
    }

    private int list(Request request, Listing listing) {
        long handle = ReadRequest.handle(request.memory());
        OpenDirectory directory = open.get(handle);
        if (directory == null) {
            directory = view.opendir(request.node());
            open.put(handle, directory);
        }
        directory.list(ReadRequest.offset(request.memory()), listing);
        return listing.length;
    }

    private int releasedir(Request request, Reply reply) {
        open.remove(ReleaseRequest.handle(request.memory()));
        return 0;
    }

    /** Writes entries into a reply until it is full. */
    private abstract static class Listing implements OpenDirectory.Sink {
        final MemorySegment memory;
        private final int capacity;
        int length;

        Listing(Reply reply, MemorySegment request) {
            this.memory = reply.memory();
            this.capacity = reply.capacity(ReadRequest.size(request));
        }

        /** Returns the position for an entry of this many bytes, or -1 if it does not fit. */
        long take(int bytes) {
            if (length + bytes > capacity) {
                return -1;
            }
            length += bytes;
            return (long) Reply.BODY + length - bytes;
        }
    }

    private static final class Plain extends Listing {

        Plain(Reply reply, MemorySegment request) {
            super(reply, request);
        }

        @Override
        public boolean accept(String name, long inode, boolean directory, long next) {
            byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
            long at = take(DirectoryEntry.bytes(bytes));
            if (at >= 0) {
                DirectoryEntry.write(memory, at, inode, directory, bytes, next);
            }
            return at >= 0;
        }
    }

    /** Includes the attributes of each entry, which saves the kernel a LOOKUP. */
    private final class WithAttributes extends Listing {

        WithAttributes(Reply reply, MemorySegment request) {
            super(reply, request);
        }

        @Override
        public boolean accept(String name, long inode, boolean directory, long next) {
            byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
            long at = take(DirectoryEntry.bytesPlus(bytes));
            if (at < 0) {
                return false;
            }
            // Versions and the directories above them change, so their attributes are left out.
            // They may need a manifest that is unavailable, and that must not fail the listing.
            if (view.isLasting(inode) && !name.equals(".") && !name.equals("..")) {
                Attributes attributes = view.getattr(inode);
                EntryReply.write(memory, at, attributes, Validity.LASTING_SECONDS, owner);
            } else {
                DirectoryEntry.writeUnknown(memory, at);
            }
            DirectoryEntry.write(memory, at + EntryReply.BYTES, inode, directory, bytes, next);
            return true;
        }
    }
}
