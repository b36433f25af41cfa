package dev.forebay.devstack.fault;

import dev.forebay.devstack.DevstackException;
import dev.forebay.devstack.mount.Mounts;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;

/** An ext4 file system on a loop device, of any size, that can fail or hang. Needs root. */
public final class LoopDisk implements AutoCloseable {

    /** Sets the read rate of a device for all processes of the root control group. */
    private static final Path READ_RATES =
            Path.of("/sys/fs/cgroup/blkio/blkio.throttle.read_bps_device");

    /** The smallest block size of ext4. */
    private static final int LEAST_BLOCK_BYTES = 1024;

    private final Path image;
    private final Path mountpoint;
    private boolean gone;
    private boolean hangs;
    private boolean readsHang;

    private LoopDisk(Path image, Path mountpoint) {
        this.image = image;
        this.mountpoint = mountpoint;
    }

    /**
     * Creates and mounts a disk.
     *
     * @param image the file for its bytes; an existing one is replaced
     * @param mountpoint where it is mounted, empty
     */
    public static LoopDisk mount(Path image, long bytes, Path mountpoint) {
        try {
            Files.deleteIfExists(image);
            try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
                file.setLength(bytes);
            }
            Files.createDirectories(mountpoint);
            run("mkfs.ext4", "-q", image.toString());
            LoopDisk disk = new LoopDisk(image, mountpoint);
            disk.mount();
            Files.delete(mountpoint.resolve("lost+found"));
            return disk;
        } catch (IOException e) {
            throw new DevstackException("cannot make a disk in " + image, e);
        }
    }

    /**
     * Creates and mounts a disk with this name in a directory.
     *
     * @return empty if this process may not mount
     */
    public static Optional<LoopDisk> mountIfAllowed(Path directory, String name, long bytes) {
        try {
            return Optional.of(
                    mount(directory.resolve(name + ".image"), bytes, directory.resolve(name)));
        } catch (DevstackException e) {
            return Optional.empty();
        }
    }

    private void mount() {
        run("mount", "-o", "loop", image.toString(), mountpoint.toString());
    }

    /**
     * Damages the block map of a file, so that the file can be neither opened nor removed. Other
     * files stay usable. No process may have a file of the disk open.
     */
    public void spoil(Path file) {
        Mounts.unmount(mountpoint);
        String inside = "/" + mountpoint.relativize(file);
        run("debugfs", "-w", "-R", "set_inode_field " + inside + " block[0] 0", image.toString());
        mount();
    }

    /**
     * Flips one bit of a file on the device, without the kernel's knowledge. The page cache keeps
     * the right bytes.
     *
     * @param file not empty, and with a beginning that no other file has
     */
    public void rot(Path file) throws IOException {
        run("sync", "--file-system", mountpoint.toString());
        byte[] beginning = new byte[LEAST_BLOCK_BYTES];
        try (RandomAccessFile disk = new RandomAccessFile(image.toFile(), "rw");
                InputStream in = Files.newInputStream(file)) {
            int length = in.readNBytes(beginning, 0, beginning.length);
            byte[] block = new byte[LEAST_BLOCK_BYTES];
            for (long at = 0; at < disk.length(); at += block.length) {
                disk.seek(at);
                disk.readFully(block);
                if (Arrays.equals(block, 0, length, beginning, 0, length)) {
                    disk.seek(at);
                    disk.write(block[0] ^ 1);
                    return;
                }
            }
        }
        throw new DevstackException(file + " is not on this disk");
    }

    /** Returns the mountpoint. */
    public Path path() {
        return mountpoint;
    }

    /** Makes every later access fail with an I/O error, by EXT4_IOC_SHUTDOWN (linux/fs/ext4). */
    public void die() {
        run(
                "python3",
                "-c",
                "import fcntl,os,struct,sys;"
                        + "fcntl.ioctl(os.open(sys.argv[1],os.O_RDONLY),0x8004587d,struct.pack('I',2))",
                mountpoint.toString());
    }

    /** Blocks all later writes until {@link #goOn}. */
    public void hang() {
        run("fsfreeze", "--freeze", mountpoint.toString());
        hangs = true;
    }

    /**
     * Blocks all later reads from the device until {@link #goOn}: the device gives one byte a
     * second.
     *
     * @return false, without an effect, if this machine has no such limit (control groups, version
     *     1)
     */
    public boolean hangReads() {
        readsHang = Files.isWritable(READ_RATES) && readRate(1);
        return readsHang;
    }

    private boolean readRate(int bytesPerSecond) {
        String device = output("findmnt", "-no", "MAJ:MIN", mountpoint.toString()).strip();
        try {
            Files.writeString(READ_RATES, device + " " + bytesPerSecond);
            return true;
        } catch (IOException e) {
            throw new DevstackException("cannot limit " + device, e);
        }
    }

    /** Lets blocked reads and writes continue. */
    public void goOn() {
        if (readsHang) {
            readRate(0);
            readsHang = false;
        }
        if (hangs) {
            run("fsfreeze", "--unfreeze", mountpoint.toString());
            hangs = false;
        }
    }

    /** Makes the file system read-only, as the kernel does after an error. */
    public void makeReadOnly() {
        run("mount", "-o", "remount,abort", mountpoint.toString());
    }

    /** Removes the disk, and leaves an empty directory at its mountpoint. */
    public void vanish() {
        run("umount", "-l", mountpoint.toString());
        gone = true;
    }

    /** Returns the free space in bytes. */
    public long usableBytes() throws IOException {
        return Files.getFileStore(mountpoint).getUsableSpace();
    }

    private static void run(String... command) {
        output(command);
    }

    private static String output(String... command) {
        try {
            Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            String printed =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new DevstackException(String.join(" ", command) + ": " + printed);
            }
            return printed;
        } catch (IOException e) {
            throw new DevstackException("cannot run " + command[0], e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DevstackException("interrupted", e);
        }
    }

    @Override
    public void close() {
        goOn();
        if (!gone) {
            vanish();
        }
    }
}
