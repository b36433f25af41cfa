package dev.forebay.devstack.stack;

import dev.forebay.devstack.DevstackException;
import dev.forebay.devstack.mount.Mounts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Removes the mounts and loop devices that a killed process left below a directory. The kernel ends
 * the processes themselves (see {@code Spawner}), but it keeps their mounts and their loop devices.
 *
 * <p>Call it only when the processes have ended, because a running one would lose its mounts.
 */
public final class Leftovers {

    private static final Path DEVICES = Path.of("/sys/block");

    /** A killed test may have limited the read rate of a device here. */
    private static final Path READ_RATES =
            Path.of("/sys/fs/cgroup/blkio/blkio.throttle.read_bps_device");

    /** The suffix that the kernel adds to the path of a removed file. */
    private static final String REMOVED = " (deleted)";

    private record LoopDevice(Path device, Path file) {}

    private Leftovers() {}

    /**
     * Removes leftovers below some directories. Needs root if there are any.
     *
     * @param directories absolute; a loop device counts if its file is below one of them
     * @return one line for each mount or device that it removed
     * @throws DevstackException naming the first mount that cannot be removed
     */
    public static List<String> cleanUp(List<Path> directories) {
        List<LoopDevice> devices =
                loopDevices().stream()
                        .filter(each -> directories.stream().anyMatch(each.file::startsWith))
                        .toList();
        devices.forEach(Leftovers::letGoOn);
        List<String> removed = new ArrayList<>();
        for (Path directory : directories) {
            unmountBelow(directory, removed);
        }
        for (LoopDevice each : devices) {
            // The last unmount frees most devices.
            boolean _ = Mounts.succeeds(List.of("losetup", "--detach", each.device.toString()));
            removed.add("removed loop device %s of %s".formatted(each.device, each.file));
        }
        return removed;
    }

    /**
     * Unmounts everything below a directory. Mounts may be stacked, so each pass removes the top
     * mount of each mountpoint.
     */
    private static void unmountBelow(Path directory, List<String> removed) {
        List<Path> mounted = Mounts.below(directory);
        while (!mounted.isEmpty()) {
            Path outermost = mounted.getFirst();
            Mounts.detach(outermost);
            List<Path> left = Mounts.below(directory);
            if (left.size() >= mounted.size()) {
                throw new DevstackException("cannot unmount " + outermost);
            }
            removed.add("unmounted " + outermost);
            mounted = left;
        }
    }

    /**
     * Undoes the faults of a test: it may have frozen the file system, or stopped reads of the
     * disk.
     */
    private static void letGoOn(LoopDevice loop) {
        for (Path frozen : Mounts.of(loop.device, "ext4")) {
            boolean _ = Mounts.succeeds(List.of("fsfreeze", "--unfreeze", frozen.toString()));
        }
        try {
            if (Files.isWritable(READ_RATES)) {
                Path numbers = DEVICES.resolve(loop.device.getFileName()).resolve("dev");
                Files.writeString(READ_RATES, Files.readString(numbers).strip() + " 0");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<LoopDevice> loopDevices() {
        List<LoopDevice> devices = new ArrayList<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(DEVICES, "loop*")) {
            for (Path each : all) {
                backingFile(each)
                        .ifPresent(
                                file ->
                                        devices.add(
                                                new LoopDevice(
                                                        Path.of("/dev").resolve(each.getFileName()),
                                                        file)));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return devices;
    }

    /** Returns empty for a device that has no file, or that the kernel frees meanwhile. */
    private static Optional<Path> backingFile(Path device) {
        try {
            String path = Files.readString(device.resolve("loop/backing_file")).stripTrailing();
            return Optional.of(
                    Path.of(
                            path.endsWith(REMOVED)
                                    ? path.substring(0, path.length() - REMOVED.length())
                                    : path));
        } catch (IOException free) {
            return Optional.empty();
        }
    }
}
