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

/** What an image and its packs are to the kernel. */
public enum ImageDevices {

    /** The files themselves (Linux 6.12). */
    FILES {
        @Override
        DetachedMount mount(Path image, List<Path> packs) throws SystemCallException {
            // Past the page cache of the packs: what is read is there as the image's files, and
            // need not be there twice.
            return Readahead.raise(() -> DetachedMount.erofs(image, packs, List.of("directio")));
        }
    },

    /** Loop devices, one for each; they go when the image does. */
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
     * @param packs in the order of the image's devices; of whole blocks of 4 KiB
     */
    abstract DetachedMount mount(Path image, List<Path> packs) throws SystemCallException;

    /**
     * Whether this process can mount images so.
     *
     * @param noImage a file of 4 KiB of nothing
     * @return why it cannot
     */
    public Optional<String> refusal(Path noImage) {
        try (DetachedMount _ = mount(noImage, List.of())) {
            throw new IllegalArgumentException(noImage + " is an image");
        } catch (SystemCallException e) {
            // The kernel has got as far as to look into it.
            return e.errno() == ErrorNumber.EINVAL
                    ? Optional.empty()
                    : Optional.of(DetachedMount.explain(e));
        }
    }
}
