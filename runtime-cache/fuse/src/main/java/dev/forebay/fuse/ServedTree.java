package dev.forebay.fuse;

import dev.forebay.fuse.fs.FileSystemView;
import dev.forebay.fuse.fs.Transport;
import dev.forebay.fuse.fs.UpcallGuard;
import dev.forebay.fuse.hold.HeldTransport;
import dev.forebay.fuse.linux.Readahead;
import dev.forebay.fuse.options.Mountpoint;
import dev.forebay.fuse.options.PodOptions;
import dev.forebay.fuse.options.TransportChoice;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Mounts the tree, or serves a mount of a holder, and knows the mount point while it serves.
 * Thread-safe.
 */
final class ServedTree {

    private static final Logger LOG = LoggerFactory.getLogger(ServedTree.class);

    private volatile Supplier<Optional<Path>> place = Optional::empty;

    /** Returns the mount point while this process serves it. */
    Optional<Path> place() {
        return place.get();
    }

    /**
     * Starts to serve, or to stand by.
     *
     * @param transport the transport if there is no holder
     * @param shown opens when the versions are known; awaited before a held mount is served
     * @param whenServing see {@link HeldTransport#join}
     */
    Transport serve(
            PodOptions options,
            TransportChoice transport,
            FileSystemView view,
            UpcallGuard guard,
            CountDownLatch shown,
            Runnable whenServing) {
        return options.holder == null
                ? mount(options, transport, view, guard, whenServing)
                : join(options.holder, view, guard, shown, whenServing);
    }

    private Transport mount(
            PodOptions options,
            TransportChoice transport,
            FileSystemView view,
            UpcallGuard guard,
            Runnable whenServing) {
        whenServing.run();
        Path mountpoint = Mountpoint.resolved(Objects.requireNonNull(options.mountpoint));
        boolean allowOther = OtherUsers.ofThisMachine().mayRead(mountpoint, options.allowOther);
        Transport mounted = transport.mount(view, guard, mountpoint, allowOther);
        place = () -> Optional.of(mountpoint);
        return mounted;
    }

    private Transport join(
            Path holder,
            FileSystemView view,
            UpcallGuard guard,
            CountDownLatch shown,
            Runnable whenServing) {
        try {
            // Readers know the tree, and would get errors from an empty one.
            shown.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ForebayException(ErrorCode.UNAVAILABLE, "interrupted", e);
        }
        HeldTransport held = HeldTransport.join(view, guard, holder, whenServing);
        Optional<Path> mountpoint = Optional.of(held.mountpoint()).filter(Mountpoint::isOurMount);
        if (mountpoint.isEmpty()) {
            LOG.warn(
                    "Showing versions file by file, because this process cannot see the holder's "
                            + "mount");
        }
        // The holder has tried it too. It may see another sysfs in its container, and has no
        // metrics.
        mountpoint.ifPresent(Readahead::raise);
        place = () -> held.serving() ? mountpoint : Optional.empty();
        return held;
    }
}
