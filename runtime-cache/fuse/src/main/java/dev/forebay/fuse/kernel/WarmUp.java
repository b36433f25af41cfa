package dev.forebay.fuse.kernel;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.forebay.fuse.fs.FileSystemView;
import dev.forebay.fuse.fs.OperationMeter;
import dev.forebay.fuse.fs.UpcallGuard;
import dev.forebay.fuse.kernel.device.FuseDevice;
import dev.forebay.fuse.kernel.device.Protocol;
import dev.forebay.fuse.kernel.protocol.Opcode;
import dev.forebay.fuse.kernel.protocol.ReadRequest;
import dev.forebay.fuse.kernel.protocol.RequestHeader;
import dev.forebay.fuse.linux.LockedMemory;
import dev.forebay.fuse.linux.UnixSocket;
import dev.forebay.linux.CallState;
import dev.forebay.linux.Descriptor;
import dev.forebay.linux.SystemCallException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warms up the process with simulated requests over a socket pair instead of a device. After that,
 * the first real requests find classes loaded, calls linked, manifests open and workers connected.
 * A JVM needs a second or two for that.
 */
public final class WarmUp {

    private static final Logger LOG = LoggerFactory.getLogger(WarmUp.class);

    /** The JIT compiler compiles code after some hundred runs. */
    private static final int ROUNDS = 20;

    /** The maximum number of entries to visit per directory, and so of versions per dataset. */
    private static final int ENTRIES = 16;

    private static final int READ_BYTES = 64 << 10;
    private static final Duration TIMEOUT = Duration.ofSeconds(3);

    /**
     * The time after which it sends no more requests. A read takes 30 s if workers do not answer.
     */
    private static final Duration LONGEST = Duration.ofSeconds(10);

    private record Entry(String name, long inode, boolean directory) {}

    private final FileSystemView view;
    private final Descriptor kernel;
    private final CallState state = new CallState();
    private final MemorySegment request = LockedMemory.allocate(4096);
    private final MemorySegment reply = LockedMemory.allocate(2L * READ_BYTES);
    private final long begun = System.nanoTime();
    private long unique;

    private WarmUp(FileSystemView view, Descriptor kernel) {
        this.view = view;
        this.kernel = kernel;
    }

    /**
     * Looks up, lists and reads one file of each of the first mounted versions. The bytes come from
     * workers. Failures are ignored.
     */
    public static void of(FileSystemView view) {
        try {
            List<Descriptor> ends = UnixSocket.pair();
            FuseDevice device =
                    new FuseDevice(
                            List.of(ends.getFirst()),
                            new Protocol(Protocol.NEWEST_MINOR, 0, READ_BYTES));
            KernelTransport transport =
                    KernelTransport.serve(view, new UpcallGuard(OperationMeter.NONE), device);
            try (Descriptor kernel = ends.getLast()) {
                try {
                    WarmUp rehearsal = new WarmUp(view, kernel);
                    for (int round = 0; round < ROUNDS && !rehearsal.isLong(); round++) {
                        rehearsal.visit(FileSystemView.ROOT);
                    }
                } finally {
                    if (transport.drain(TIMEOUT)) {
                        device.close();
                    }
                }
            }
        } catch (SystemCallException | InterruptedException | RuntimeException e) {
            LOG.warn(
                    "Cannot warm up the request path, so the first requests take longer: {}",
                    e.toString());
        }
    }

    /** Visits entries recursively down to the first file. */
    private void visit(long directory) throws SystemCallException {
        send(Opcode.OPENDIR, directory, Long.BYTES);
        ReadRequest.write(request, 0, READ_BYTES);
        send(Opcode.READDIRPLUS, directory, ReadRequest.BYTES);
        lookup(directory, "no such name");
        for (Entry entry : entries(directory)) {
            if (isLong()) {
                return;
            }
            lookup(directory, entry.name);
            if (entry.directory) {
                visit(entry.inode);
            } else {
                ReadRequest.write(request, 0, READ_BYTES);
                send(Opcode.READ, entry.inode, ReadRequest.BYTES);
            }
            if (view.isLasting(entry.inode)) {
                return;
            }
        }
    }

    private boolean isLong() {
        return System.nanoTime() - begun > LONGEST.toNanos();
    }

    private void lookup(long directory, String name) throws SystemCallException {
        byte[] bytes = (name + '\0').getBytes(StandardCharsets.UTF_8);
        MemorySegment.copy(bytes, 0, request, JAVA_BYTE, RequestHeader.BYTES, bytes.length);
        send(Opcode.LOOKUP, directory, bytes.length);
    }

    private List<Entry> entries(long directory) {
        List<Entry> entries = new ArrayList<>();
        try {
            view.opendir(directory)
                    .list(
                            2,
                            (name, inode, isDirectory, _) ->
                                    entries.size() < ENTRIES
                                            && entries.add(new Entry(name, inode, isDirectory)));
        } catch (RuntimeException e) {
            // This version is unavailable; the next one may be available.
            LOG.debug("Skipping directory {}", directory, e);
        }
        return entries;
    }

    private void send(int opcode, long node, int bodyBytes) throws SystemCallException {
        int length = RequestHeader.BYTES + bodyBytes;
        unique++;
        RequestHeader.write(request, length, opcode, unique, node);
        if (kernel.write(request, length, state) < 0 || kernel.read(reply, state) <= 0) {
            throw new SystemCallException("rehearse request " + opcode, state.errno());
        }
    }
}
