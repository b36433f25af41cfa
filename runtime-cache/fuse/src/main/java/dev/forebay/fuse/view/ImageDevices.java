package dev.forebay.fuse.view;

import dev.forebay.fuse.linux.DetachedMount;
import dev.forebay.fuse.linux.LoopDevice;
import dev.forebay.fuse.linux.Readahead;
import dev.forebay.linux.ErrorNumber;
import dev.forebay.linux.SystemCallException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/** The ways to present an image and its packs to the kernel as devices. */
public enum ImageDevices {

    /** The files themselves (Linux 6.12). */
    FILES {
        @Override
        DetachedMount mount(Path image, List<Path> packs) throws SystemCallException {
            // Direct I/O bypasses the page cache of the packs: the image's own files cache the same
            // bytes.
            return Readahead.raise(() -> DetachedMount.erofs(image, packs, List.of("directio")));
        }
    },

    /** A loop device for each file. They disappear with the image. */
    LOOPS {
        @Override
        DetachedMount mount(Path image, List<Path> packs) throws SystemCallException {
            Deque<LoopDevice> loops = new ArrayDeque<>();
            try {
                List<Path> devices = new ArrayList<>();
                for (Path pack : packs) {
                    loops.push(LoopDevice.of(pack));
                    devices.add(loops.element().path());
                }
                loops.push(LoopDevice.of(image));
                Readahead.raiseOf(loops.element().path());
                return DetachedMount.erofs(loops.element().path(), devices, List.of());
            } finally {
                loops.forEach(LoopDevice::close);
            }
        }
    };

    /**
     * Mounts an image, not attached anywhere yet.
     *
     * @param packs in the order of the image's devices, each of whole blocks of 4 KiB
     */
    abstract DetachedMount mount(Path image, List<Path> packs) throws SystemCallException;

    /**
     * Returns the reason why this process cannot mount images in this way, if it cannot.
     *
     * @param noImage a file of 4 KiB of zeros
     */
    public Optional<String> refusal(Path noImage) {
        try (DetachedMount _ = mount(noImage, List.of())) {
            throw new IllegalArgumentException(noImage + " is an image");
        } catch (SystemCallException e) {
            // EINVAL shows that the kernel could read the file: mounting itself is permitted.
            return e.errno() == ErrorNumber.EINVAL
                    ? Optional.empty()
                    : Optional.of(DetachedMount.explain(e));
        }
    }
}
