package dev.forebay.devstack.stack;

import dev.forebay.devstack.DevstackException;
import dev.forebay.devstack.mount.Mounts;
import dev.forebay.devstack.server.PidFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * A stack as its files below the data directory describe it: process ids, mounts, addresses. With
 * it one command stops a stack that another command started.
 */
public final class StackOnDisk {
    private static final int DEPTH = 3;

    private final Layout layout;

    public StackOnDisk(Path data) {
        this.layout = new Layout(data.toAbsolutePath().normalize());
    }

    /**
     * Returns the clone of Forebay of the current directory, or the one that {@code FOREBAY_HOME}
     * names.
     */
    public static Path repository() {
        return Repository.current().root();
    }

    /** Returns the addresses of the parts, if the stack has been ready. */
    public Optional<Addresses> addresses() {
        return Addresses.read(layout.addresses());
    }

    /** Records that the stack is ready. */
    public void ready(Addresses addresses) {
        addresses.write(layout.addresses());
    }

    /** Returns the first port of its last start, which is the default for the next one. */
    public Optional<String> portBase() {
        try {
            return Optional.of(Files.readString(layout.portBase()).strip());
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw new DevstackException("cannot read " + layout.portBase(), e);
        }
    }

    /** Records the first port of this start. */
    public void startsAt(int portBase) {
        try {
            Files.writeString(layout.portBase(), portBase + "\n");
        } catch (IOException e) {
            throw new DevstackException("cannot write " + layout.portBase(), e);
        }
    }

    /** Returns the processes, including dead ones. */
    public List<PidFile> processes() {
        if (!Files.isDirectory(layout.data())) {
            return List.of();
        }
        return Stream.concat(pidFiles(layout.data(), 2), pidFiles(layout.regions(), DEPTH))
                .distinct()
                .flatMap(file -> PidFile.read(file).stream())
                .toList();
    }

    /** Returns the data directory, absolute. */
    public Path data() {
        return layout.data();
    }

    /** Returns the file whose lock serialises the commands for this stack. */
    public Path lock() {
        return layout.lock();
    }

    /** Returns the mounts. */
    public List<Path> mounts() {
        return Mounts.below(layout.data());
    }

    /** Returns whether the stack has been ready and all its processes run. */
    public boolean isRunning() {
        List<PidFile> all = processes();
        return addresses().isPresent() && !all.isEmpty() && all.stream().allMatch(PidFile::isAlive);
    }

    /** Returns the name of a process for people: {@code us-east-1/worker-0}. */
    public String nameOf(PidFile process) {
        Path directory = layout.data().relativize(process.file()).getParent();
        return directory == null ? process.name() : directory.toString().replace("regions/", "");
    }

    /**
     * Stops all processes and removes all mounts. Idempotent.
     *
     * @param progress receives a line for each
     * @return the number of processes and mounts
     */
    public int stop(Consumer<String> progress) {
        List<PidFile> all = processes();
        List<PidFile> alive = all.stream().filter(PidFile::isAlive).toList();
        List<Path> mounts = mounts();
        // FUSE pods and holders first, which unmount, then Forebay's processes, then the servers.
        AllAtOnce.<Runnable>groups(
                List.of(
                        stops(all, StackOnDisk::isMount),
                        List.of(() -> detach(progress)),
                        stops(all, StackOnDisk::isOurs),
                        stops(all, process -> true)),
                Runnable::run);
        try {
            Files.deleteIfExists(layout.addresses());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return alive.size() + mounts.size();
    }

    private static boolean isMount(PidFile process) {
        return List.of("fuse", "standby", "holder").contains(process.name());
    }

    private static boolean isOurs(PidFile process) {
        return List.of("worker", "agent", "control-plane").contains(process.name());
    }

    private void detach(Consumer<String> progress) {
        for (List<Path> left = mounts(); !left.isEmpty(); left = mounts()) {
            Mounts.detach(left.getFirst());
            progress.accept("removed the mount " + left.getFirst());
        }
    }

    private static List<Runnable> stops(List<PidFile> processes, Predicate<PidFile> which) {
        return processes.stream().filter(which).<Runnable>map(one -> () -> stop(one)).toList();
    }

    private static void stop(PidFile process) {
        try {
            process.stop();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Does not enter mounts, which may hang: they are deeper or have the name {@code mnt}. */
    private static Stream<Path> pidFiles(Path directory, int depth) {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.filter(entry -> !entry.endsWith("mnt")).toList().stream()
                    .flatMap(entry -> depth > 1 ? below(entry, depth - 1) : Stream.of(entry))
                    .filter(file -> file.toString().endsWith(".pid"));
        } catch (NoSuchFileException e) {
            return Stream.empty();
        } catch (IOException e) {
            throw new DevstackException("cannot read " + directory, e);
        }
    }

    private static Stream<Path> below(Path entry, int depth) {
        return Files.isDirectory(entry) ? pidFiles(entry, depth) : Stream.of(entry);
    }
}
