package dev.forebay.fuse.kernel;

import dev.forebay.fuse.fs.FileSystemView;
import dev.forebay.fuse.fs.Transport;
import dev.forebay.fuse.fs.UpcallGuard;
import dev.forebay.fuse.kernel.device.FuseDevice;
import dev.forebay.fuse.kernel.device.KernelMount;
import dev.forebay.fuse.kernel.protocol.Owner;
import dev.forebay.fuse.linux.Identity;
import dev.forebay.fuse.linux.MountCalls;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.thread.CatchAll;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves a {@link FileSystemView} through {@code /dev/fuse}.
 *
 * <p>The kernel identifies files, also open ones, by inode number only. A process can therefore
 * continue the mount of another one with only the device and a view that has the same numbers.
 */
public final class KernelTransport implements Transport {

    /** The timeout for requests that need bytes or manifests from other nodes. */
    public static final Duration TIMEOUT = Duration.ofSeconds(30);

    private static final Logger LOG = LoggerFactory.getLogger(KernelTransport.class);
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(3);

    private final FuseDevice device;
    private final Optional<Path> mountpoint;
    private final RememberedFiles files;
    private final RequestThreads threads;

    private KernelTransport(
            FileSystemView view, UpcallGuard guard, FuseDevice device, Optional<Path> mountpoint) {
        Identity identity = Identity.ofThisProcess();
        Owner owner = new Owner(identity.user(), identity.group());
        this.device = device;
        this.mountpoint = mountpoint;
        this.files = new RememberedFiles(view);
        HandlerTable handlers = HandlerTable.of(view, files, owner);
        SlowReads slowReads =
                new SlowReads(view, files, guard, device.protocol().maxRequestBytes(), TIMEOUT);
        SlowLookups slowLookups = new SlowLookups(view, handlers, guard, TIMEOUT);
        this.threads = new RequestThreads(view, guard, handlers, slowReads, slowLookups, device);
        threads.start();
    }

    /**
     * Mounts a view and serves it; closing the transport unmounts it.
     *
     * @param mountpoint an empty directory
     * @param allowOther whether users other than this process's user may read
     * @throws ForebayException {@code UNAVAILABLE} if it cannot be mounted
     */
    public static KernelTransport mount(
            FileSystemView view, UpcallGuard guard, Path mountpoint, boolean allowOther) {
        try {
            FuseDevice device = KernelMount.mount(mountpoint, allowOther);
            return CatchAll.closeOnFailure(
                    () -> {
                        try (device) {
                            MountCalls.detach(mountpoint);
                        }
                    },
                    () -> new KernelTransport(view, guard, device, Optional.of(mountpoint)));
        } catch (IOException e) {
            throw new ForebayException(
                    ErrorCode.UNAVAILABLE,
                    "cannot mount %s: %s".formatted(mountpoint, e.getMessage()),
                    e);
        }
    }

    /**
     * Serves a mount that another process made and keeps. Other processes may serve it at the same
     * time.
     *
     * @param device closed with the transport
     */
    public static KernelTransport serve(FileSystemView view, UpcallGuard guard, FuseDevice device) {
        return new KernelTransport(view, guard, device, Optional.empty());
    }

    @Override
    public boolean serving() {
        return true;
    }

    /** Returns the number of files that were read last: the kernel does not report opens. */
    @Override
    public int openFiles() {
        return files.count();
    }

    @Override
    public int awaitEnd() throws InterruptedException {
        return threads.end().join();
    }

    /**
     * Stops taking requests and waits for the running ones.
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
                // The device stays open: its descriptor's number could be reused, and a late answer
                // would go to the wrong file.
                LOG.info("Requests are still running; they end with this process");
            }
        } catch (IOException e) {
            LOG.error("Cannot unmount: {}", e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
