package dev.forebay.fuse.kernel.device;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.forebay.fuse.linux.Identity;
import dev.forebay.fuse.linux.MountCalls;
import dev.forebay.fuse.linux.Readahead;
import dev.forebay.linux.Descriptor;
import dev.forebay.linux.SystemCallException;
import dev.forebay.thread.CatchAll;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Mounts a FUSE file system by mount(2), which needs CAP_SYS_ADMIN, and negotiates the protocol.
 */
public final class KernelMount {

    private static final Logger LOG = LoggerFactory.getLogger(KernelMount.class);
    private static final Path DEVICE = Path.of("/dev/fuse");

    /** The file system type; the part after the dot is a free subtype. */
    private static final String TYPE = "fuse.forebay";

    /** {@code FUSE_DEV_IOC_CLONE}, see {@code include/uapi/linux/fuse.h}. */
    private static final long CLONE = 0x8004E500L;

    /**
     * The maximum number of queues. Queues only save threads a lock, so more of them have no
     * effect.
     */
    private static final int MAX_QUEUES = 8;

    private KernelMount() {}

    /**
     * Mounts a read-only file system that no process serves yet: accesses to it block.
     *
     * @param mountpoint an empty directory
     * @param allowOther whether users other than this process's user may read
     * @throws IOException if mounting is not permitted, or the kernel is too old; nothing is
     *     mounted then
     */
    public static FuseDevice mount(Path mountpoint, boolean allowOther) throws IOException {
        List<Descriptor> descriptors = new ArrayList<>();
        return CatchAll.closeOnFailure(
                () -> descriptors.forEach(Descriptor::close),
                () -> mount(mountpoint, allowOther, descriptors));
    }

    private static FuseDevice mount(
            Path mountpoint, boolean allowOther, List<Descriptor> descriptors) throws IOException {
        Descriptor device = Descriptor.open(DEVICE, Descriptor.O_RDWR);
        descriptors.add(device);
        MountCalls.mount(
                "forebay",
                mountpoint,
                TYPE,
                MountCalls.MS_RDONLY | MountCalls.MS_NOSUID | MountCalls.MS_NODEV,
                options(device, allowOther));
        return CatchAll.closeOnFailure(
                () -> MountCalls.detach(mountpoint), () -> negotiate(mountpoint, descriptors));
    }

    private static FuseDevice negotiate(Path mountpoint, List<Descriptor> descriptors)
            throws IOException {
        Protocol protocol = Negotiation.with(descriptors.getFirst());
        addQueues(descriptors);
        Readahead.raise(mountpoint);
        LOG.info(
                "Mounted {}: FUSE 7.{}, requests of up to {} KiB, {} queues{}",
                mountpoint,
                protocol.minor(),
                protocol.maxRequestBytes() >> 10,
                descriptors.size(),
                protocol.resends() ? "" : ", without takeover");
        return new FuseDevice(descriptors, protocol);
    }

    private static String options(Descriptor device, boolean allowOther) {
        Identity identity = Identity.ofThisProcess();
        List<String> options = new ArrayList<>();
        options.add("fd=" + device.number());
        options.add("rootmode=40000");
        options.add("user_id=" + identity.user());
        options.add("group_id=" + identity.group());
        options.add("default_permissions");
        options.add("max_read=" + Negotiation.MAX_REQUEST_BYTES);
        if (allowOther) {
            options.add("allow_other");
        }
        return String.join(",", options);
    }

    private static void addQueues(List<Descriptor> descriptors) throws SystemCallException {
        int queues = Math.clamp(Runtime.getRuntime().availableProcessors(), 1, MAX_QUEUES);
        try (Arena arena = Arena.ofConfined()) {
            while (descriptors.size() < queues) {
                Descriptor queue = Descriptor.open(DEVICE, Descriptor.O_RDWR);
                descriptors.add(queue);
                int _ =
                        queue.ioctl(
                                CLONE,
                                arena.allocateFrom(JAVA_INT, descriptors.getFirst().number()));
            }
        }
    }
}
