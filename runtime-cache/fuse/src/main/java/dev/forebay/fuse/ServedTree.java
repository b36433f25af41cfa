package dev.forebay.fuse;

import dev.forebay.fuse.fs.FileSystemView;
import dev.forebay.fuse.fs.Guard;
import dev.forebay.fuse.fs.Transport;
import dev.forebay.fuse.hold.HeldTransport;
import dev.forebay.fuse.linux.Readahead;
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
 * Mounts the tree, or serves a mount that somebody holds, and knows where it is meanwhile. Safe for
 * use by many threads.
 */
final class ServedTree {

    private static final Logger LOG = LoggerFactory.getLogger(ServedTree.class);

    private volatile Supplier<Optional<Path>> place = Optional::empty;

    /** Where the tree is while it is served by this process. */
    Optional<Path> place() {
        return place.get();
    }

    /**
     * Begins to serve, or to stand by.
     *
     * @param transport of a mount that nobody holds
     * @param shown waited for before a mount is served that somebody holds
     * @param whenServing as for {@link HeldTransport#join}
     */
    Transport serve(
            PodOptions options,
            TransportChoice transport,
            FileSystemView view,
            Guard guard,
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
            Guard guard,
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
            Guard guard,
            CountDownLatch shown,
            Runnable whenServing) {
        try {
            // Readers know the tree: to serve an empty one would be an error to them.
            shown.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ForebayException(ErrorCode.UNAVAILABLE, "interrupted", e);
        }
        HeldTransport held = HeldTransport.join(view, guard, holder, whenServing);
        Optional<Path> mountpoint = held.mountpoint().filter(Mountpoint::isOurMount);
        if (mountpoint.isEmpty()) {
            LOG.warn(
                    "Versions are shown file by file: the holder's mount cannot be seen from here");
        }
        // The holder has tried to; its container may see another sysfs, and it shows no metrics.
        mountpoint.ifPresent(Readahead::raise);
        place = () -> held.serving() ? mountpoint : Optional.empty();
        return held;
    }
}
