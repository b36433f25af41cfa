package dev.forebay.fuse.view;

import dev.forebay.fuse.linux.DetachedMount;
import dev.forebay.linux.SystemCallException;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How far the kernel reads ahead in the files of an image: it begins with 128 KiB, at which reading
 * in sequence is half as fast.
 */
final class Readahead {

    private static final Logger LOG = LoggerFactory.getLogger(Readahead.class);
    private static final String KIB = "1024";
    private static final Path DEVICES = Path.of("/sys/class/bdi");

    private static final String IMAGES = "erofs-*";

    /** Something that mounts an image. */
    @FunctionalInterface
    interface Mounting {
        DetachedMount mount() throws SystemCallException;
    }

    private Readahead() {}

    /**
     * Mounts, and raises it for what was mounted. Nothing says which entry is whose, so it is those
     * that were not there before, somebody else's maybe, too: it does them no harm.
     */
    static synchronized DetachedMount raise(Mounting mounting) throws SystemCallException {
        Set<Path> before = entries();
        DetachedMount mounted = mounting.mount();
        Set<Path> added = entries();
        added.removeAll(before);
        for (Path entry : added) {
            try {
                Files.writeString(entry.resolve("read_ahead_kb"), KIB);
            } catch (IOException e) {
                LOG.debug("Readahead of {} stays as it is: {}", entry, e.toString());
            }
        }
        return mounted;
    }

    /** Raises it for what is mounted from a block device. */
    static void raise(Path device) {
        Path entry =
                Path.of("/sys/block").resolve(device.getFileName()).resolve("queue/read_ahead_kb");
        try {
            Files.writeString(entry, KIB);
        } catch (IOException e) {
            LOG.debug("Readahead of {} stays as it is: {}", device, e.toString());
        }
    }

    private static Set<Path> entries() {
        Set<Path> entries = new HashSet<>();
        try (DirectoryStream<Path> found = Files.newDirectoryStream(DEVICES, IMAGES)) {
            found.forEach(entries::add);
        } catch (IOException e) {
            LOG.debug("No {}: {}", DEVICES, e.toString());
        }
        return entries;
    }
}
