package dev.forebay.fuse.linux;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the mounts of this process's mount namespace, as the kernel lists them. */
public final class MountTable {

    private static final Path OF_PROCESS = Path.of("/proc/self/mountinfo");
    private static final Path OF_THREAD = Path.of("/proc/thread-self/mountinfo");
    private static final Pattern OCTAL = Pattern.compile("\\\\([0-7]{3})");

    // Fields of proc_pid_mountinfo(5), before and after the dash.
    private static final int ID = 0;
    private static final int PARENT = 1;
    private static final int DEVICE = 2;
    private static final int ROOT = 3;
    private static final int MOUNTPOINT = 4;
    private static final int TYPE = 0;
    private static final int SOURCE = 1;

    private MountTable() {}

    /**
     * A mount.
     *
     * @param id its number in this namespace
     * @param parent the number of the mount that it lies on
     * @param device its number, as {@code major:minor}
     * @param root the directory that it shows, as a path within its file system
     * @param type the type of its file system
     * @param source the mounted object, in the file system's own terms
     */
    public record Entry(
            int id,
            int parent,
            String device,
            String root,
            Path mountpoint,
            String type,
            String source) {}

    /** Returns all mounts, including covered ones. Accesses none of them. */
    public static List<Entry> read() throws IOException {
        return parse(Files.readAllBytes(OF_PROCESS));
    }

    /**
     * Returns the mounts on the directory that a path leads to, the topmost last.
     *
     * @param mountpoint as the kernel knows it: absolute, without links
     */
    public static List<Entry> at(Path mountpoint) throws IOException {
        return new MountStacks(read()).at(mountpoint);
    }

    /** Same as {@link #read}, for a thread that has left its process's mount namespace. */
    static List<Entry> ofThisThread() throws IOException {
        return parse(Files.readAllBytes(OF_THREAD));
    }

    /**
     * Returns the mounts that a file such as {@code /proc/self/mountinfo} lists. Skips mount points
     * that this JVM cannot express as a path, because names may be any bytes.
     */
    public static List<Entry> parse(byte[] table) {
        // A name may contain a carriage return, which the kernel does not escape: split at newlines
        // only.
        return Arrays.stream(new String(table, StandardCharsets.UTF_8).split("\n"))
                .flatMap(line -> entry(line).stream())
                .toList();
    }

    private static Optional<Entry> entry(String line) {
        String[] sides = line.split(" - ", 2);
        if (sides.length < 2) {
            return Optional.empty();
        }
        String[] mount = sides[0].split(" ", -1);
        String[] system = sides[1].split(" ", -1);
        try {
            return Optional.of(
                    new Entry(
                            Integer.parseInt(mount[ID]),
                            Integer.parseInt(mount[PARENT]),
                            mount[DEVICE],
                            unescaped(mount[ROOT]),
                            Path.of(unescaped(mount[MOUNTPOINT])),
                            system[TYPE],
                            unescaped(system[SOURCE])));
        } catch (InvalidPathException e) {
            return Optional.empty();
        }
    }

    private static String unescaped(String field) {
        return OCTAL.matcher(field).replaceAll(MountTable::character);
    }

    private static String character(MatchResult octal) {
        String text = Character.toString((char) Integer.parseInt(octal.group(1), 8));
        return Matcher.quoteReplacement(text);
    }
}
