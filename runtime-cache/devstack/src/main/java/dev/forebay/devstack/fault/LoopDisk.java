package dev.forebay.devstack.fault;

import dev.forebay.devstack.DevstackException;
import dev.forebay.devstack.stack.Mounts;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;

/**
 * A disk of its own that is as small as one likes, and that can die or hang: an ext4. Needs root.
 */
public final class LoopDisk implements AutoCloseable {

    /** Where the kernel is told how fast a device may be read, by whoever is in no group. */
    private static final Path READ_RATES =
            Path.of("/sys/fs/cgroup/blkio/blkio.throttle.read_bps_device");

    /** Of an ext4. */
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
     * Makes one.
     *
     * @param image the file that its bytes are in, made anew
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
     * Makes one, named so, in a directory.
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
     * From now on this file cannot be opened, nor removed, and all others can: what says where its
     * blocks are is damaged. Nobody may have anything of the disk open.
     */
    public void spoil(Path file) {
        Mounts.unmount(mountpoint);
        String inside = "/" + mountpoint.relativize(file);
        run("debugfs", "-w", "-R", "set_inode_field " + inside + " block[0] 0", image.toString());
        mount();
    }

    /**
     * Has one bit of what the disk keeps of a file rot, without the kernel's knowing: what it has
     * of the file in memory stays as it was.
     *
     * @param file not empty, and with a beginning like that of no other
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

    /** Where it is mounted. */
    public Path path() {
        return mountpoint;
    }

    /** From now on every access is an I/O error, as EXT4_IOC_SHUTDOWN (linux/fs/ext4) makes it. */
    public void die() {
        run(
                "python3",
                "-c",
                "import fcntl,os,struct,sys;"
                        + "fcntl.ioctl(os.open(sys.argv[1],os.O_RDONLY),0x8004587d,struct.pack('I',2))",
                mountpoint.toString());
    }

    /** From now on nothing that is written comes to an end, until {@link #goOn}. */
    public void hang() {
        run("fsfreeze", "--freeze", mountpoint.toString());
        hangs = true;
    }

    /**
     * From now on nothing that is read from the device comes to an end, until {@link #goOn}: it
     * gives one byte a second.
     *
     * @return false if this machine has no such limit (control groups, version 1), and nothing was
     *     done
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

    /** What was asked of it while it hung comes to an end. */
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

    /** An error in the file system: the kernel takes no more writes. */
    public void makeReadOnly() {
        run("mount", "-o", "remount,abort", mountpoint.toString());
    }

    /** The disk is gone; its mountpoint is an empty directory. */
    public void vanish() {
        run("umount", "-l", mountpoint.toString());
        gone = true;
    }

    /** How many bytes are left. */
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
