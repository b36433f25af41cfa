package dev.forebay.fuse.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.forebay.linux.Descriptor;
import dev.forebay.linux.ErrorNumber;
import dev.forebay.linux.SystemCallException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A read-only block device that shows the bytes of a file (Linux 5.8). The kernel frees the device
 * when this object is closed and nothing is mounted from it, even if this process dies. See {@code
 * include/uapi/linux/loop.h}.
 */
public final class LoopDevice implements AutoCloseable {

    private static final Path CONTROL = Path.of("/dev/loop-control");
    private static final Pattern NAME = Pattern.compile("/dev/(loop\\d+)");

    private static final long CONFIGURE = 0x4C0A;
    private static final long GET_FREE = 0x4C82;
    private static final int READ_ONLY = 1;
    private static final int AUTOCLEAR = 4;
    private static final int DIRECT_IO = 16;

    /** {@code struct loop_config}: the file's descriptor comes first. */
    private static final long CONFIG_BYTES = 304;

    private static final long FLAGS = 60;

    /** The number of attempts: another process may take a free device first. */
    private static final int ATTEMPTS = 64;

    private final Path path;
    private final Descriptor device;

    private LoopDevice(Path path, Descriptor device) {
        this.path = path;
        this.device = device;
    }

    /**
     * Creates a loop device.
     *
     * @param file has whole blocks of 4 KiB and may be in a mount that this process serves. The
     *     device reads it with direct I/O if its file system supports that.
     * @throws SystemCallException EACCES or EPERM without root
     */
    public static LoopDevice of(Path file) throws SystemCallException {
        try (Descriptor control = Descriptor.open(CONTROL, Descriptor.O_RDWR);
                Arena arena = Arena.ofShared()) {
            MemorySegment config = arena.allocate(CONFIG_BYTES, Long.BYTES);
            config.set(JAVA_INT, FLAGS, READ_ONLY | AUTOCLEAR | DIRECT_IO);
            for (int attempt = 1; ; attempt++) {
                Path path = Path.of("/dev/loop" + control.ioctl(GET_FREE, MemorySegment.NULL));
                Descriptor device = Descriptor.open(path, Descriptor.O_RDONLY);
                try {
                    IsolatedThread.run(() -> configure(device, config, file));
                    return new LoopDevice(path, device);
                } catch (SystemCallException e) {
                    device.close();
                    if (e.errno() != ErrorNumber.EBUSY || attempt == ATTEMPTS) {
                        throw e;
                    }
                }
            }
        }
    }

    private static void configure(Descriptor device, MemorySegment config, Path file)
            throws SystemCallException {
        try (Descriptor backing = Descriptor.open(file, Descriptor.O_RDONLY)) {
            config.set(JAVA_INT, 0, backing.number());
            int _ = device.ioctl(CONFIGURE, config);
        }
    }

    /** Returns the path of the device. */
    public Path path() {
        return path;
    }

    /** Returns the file behind a device, or empty if it is not a loop device. */
    public static Optional<Path> fileOf(String device) {
        Matcher loop = NAME.matcher(device);
        if (!loop.matches()) {
            return Optional.empty();
        }
        Path backing = Path.of("/sys/block", loop.group(1), "loop/backing_file");
        try {
            return Optional.of(Path.of(Files.readString(backing, StandardCharsets.UTF_8).strip()));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    @Override
    public void close() {
        device.close();
    }
}
