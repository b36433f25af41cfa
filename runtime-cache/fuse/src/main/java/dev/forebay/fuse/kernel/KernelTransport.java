package dev.forebay.fuse.kernel;

import dev.forebay.fuse.fs.FileSystemView;
import dev.forebay.fuse.fs.Guard;
import dev.forebay.fuse.fs.Transport;
import dev.forebay.fuse.kernel.protocol.Owner;
import dev.forebay.fuse.linux.Identity;
import dev.forebay.fuse.linux.MountCalls;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves a {@link FileSystemView} by the kernel protocol.
 *
 * <p>What the kernel knows of files are inode numbers, and what it has open are inode numbers: all
 * that a process needs to serve a mount that another one served before is the device and a view
 * with the same numbers.
 */
public final class KernelTransport implements Transport {

    /** How long who asks for what is not on this node waits at most. */
    public static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final Logger LOG = LoggerFactory.getLogger(KernelTransport.class);
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(3);

    private final FuseDevice device;
    private final Optional<Path> mountpoint;
    private final RememberedFiles files;
    private final RequestThreads threads;

    private KernelTransport(
            FileSystemView view, Guard guard, FuseDevice device, Optional<Path> mountpoint) {
        Identity identity = Identity.ofThisProcess();
        Owner owner = new Owner(identity.user(), identity.group());
        this.device = device;
        this.mountpoint = mountpoint;
        this.files = new RememberedFiles(view);
        HandlerTable handlers = HandlerTable.of(view, files, owner);
        SlowReads slowReads =
                new SlowReads(view, files, guard, device.protocol().maxRequestBytes(), PATIENCE);
        SlowLookups slowLookups = new SlowLookups(view, handlers, guard, PATIENCE);
        this.threads = new RequestThreads(view, guard, handlers, slowReads, slowLookups, device);
        threads.start();
    }

    /**
     * Mounts a view and serves it; to close it unmounts.
     *
     * @param mountpoint an empty directory
     * @param allowOther whether other users than this process's may read
     * @throws ForebayException {@code UNAVAILABLE} if it cannot be mounted
     */
    public static KernelTransport mount(
            FileSystemView view, Guard guard, Path mountpoint, boolean allowOther) {
        try {
            FuseDevice device = KernelMount.mount(mountpoint, allowOther);
            try {
                return new KernelTransport(view, guard, device, Optional.of(mountpoint));
            } catch (RuntimeException | Error e) {
                MountCalls.detach(mountpoint);
                device.close();
                throw e;
            }
        } catch (IOException e) {
            throw new ForebayException(
                    ErrorCode.UNAVAILABLE,
                    "cannot mount %s: %s".formatted(mountpoint, e.getMessage()),
                    e);
        }
    }

    /**
     * Serves a mount that somebody else made and keeps; others may serve it at the same time.
     *
     * @param device is closed with what is returned
     */
    public static KernelTransport serve(FileSystemView view, Guard guard, FuseDevice device) {
        return new KernelTransport(view, guard, device, Optional.empty());
    }

    @Override
    public boolean serving() {
        return true;
    }

    /** Those that were read last. */
    @Override
    public int openFiles() {
        return files.count();
    }

    @Override
    public int awaitEnd() throws InterruptedException {
        return threads.end().join();
    }

    /**
     * Takes no more requests and waits for those under way.
     *
     * @return whether all were answered in time
     */
    public boolean drain(Duration within) throws InterruptedException {
        return threads.stop(within);
    }

    @Override
    public void close() {
        try {
            if (mountpoint.isPresent()) {
                MountCalls.detach(mountpoint.get());
            }
            if (drain(CLOSE_TIMEOUT)) {
                device.close();
            } else {
                // Not closed: an answer must not go to whoever gets the descriptor's number.
                LOG.info("Requests are still under way; they end with this process");
            }
        } catch (IOException e) {
            LOG.error("Cannot unmount: {}", e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
