package dev.forebay.fuse.linux;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How far the kernel reads ahead of who reads a file in sequence. It begins with 128 KiB, which is
 * also the largest request then; more can only be had through the mount's entry in sysfs.
 */
public final class Readahead {

    private static final Logger LOG = LoggerFactory.getLogger(Readahead.class);

    /**
     * One largest request of the kernel transport, eight of jnr, which are then under way at once.
     * The pod reads much further ahead itself; a longer window here would only make more of what a
     * program that jumps about in a mapped file reads in vain.
     */
    private static final int KIB = 1024;

    private static final Path DEVICES = Path.of("/sys/class/bdi");

    private Readahead() {}

    /** Raises it for a mount; without the right to do so it stays as it is. */
    public static void raise(Path mountpoint) {
        try {
            Optional<String> device = device(mountpoint);
            if (device.isPresent()) {
                Files.writeString(
                        DEVICES.resolve(device.get()).resolve("read_ahead_kb"),
                        Integer.toString(KIB));
            }
        } catch (IOException e) {
            LOG.warn("Readahead of {} stays at 128 KiB: {}", mountpoint, e.toString());
        }
    }

    /** The device number of the mount that is topmost there, not touching it. */
    private static Optional<String> device(Path mountpoint) throws IOException {
        return MountTable.read().stream()
                .filter(mount -> mount.mountpoint().equals(mountpoint))
                .map(MountTable.Entry::device)
                .reduce((_, later) -> later);
    }
}
