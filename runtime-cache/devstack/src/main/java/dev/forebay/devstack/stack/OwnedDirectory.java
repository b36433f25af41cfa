package dev.forebay.devstack.stack;

import dev.forebay.devstack.DevstackException;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Directories that belong to a running process: their names contain its id. */
public final class OwnedDirectory {

    private static final String PREFIX = "run-";
    private static final Pattern NAME = Pattern.compile(PREFIX + "(\\d+)-\\d+");

    private OwnedDirectory() {}

    /** Creates a directory of this process, and its parent if that does not exist. */
    public static Path create(Path parent) throws IOException {
        Files.createDirectories(parent);
        return Files.createTempDirectory(parent, PREFIX + ProcessHandle.current().pid() + "-");
    }

    /**
     * Returns the directories in a parent whose process has ended; none if there is no such parent.
     */
    public static List<Path> abandonedIn(Path parent) {
        List<Path> abandoned = new ArrayList<>();
        if (!Files.exists(parent)) {
            return abandoned;
        }
        try (DirectoryStream<Path> all = Files.newDirectoryStream(parent, PREFIX + "*")) {
            for (Path each : all) {
                Matcher name = NAME.matcher(each.getFileName().toString());
                if (name.matches() && ProcessHandle.of(Long.parseLong(name.group(1))).isEmpty()) {
                    abandoned.add(each);
                }
            }
        } catch (IOException e) {
            throw new DevstackException("cannot list " + parent, e);
        }
        return abandoned;
    }
}
