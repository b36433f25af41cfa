package dev.forebay.service;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.StreamSupport;

/**
 * A folder that all processes of one user share, in a directory that users share, closed to other
 * users. Its name is unpredictable, because another user could create a folder of a fixed name
 * first and own it.
 */
final class PrivateFolder {

    private static final String PREFIX = "forebay-work-";
    private static final int OF_OTHERS = 0077;

    private PrivateFolder() {}

    /** Returns the existing folder, or creates one. */
    static Path in(Path shared) throws IOException {
        Object user = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        try (DirectoryStream<Path> all = Files.newDirectoryStream(shared, PREFIX + "*")) {
            for (Path each : StreamSupport.stream(all.spliterator(), false).sorted().toList()) {
                if (isPrivate(each, user)) {
                    return each;
                }
            }
        }
        return Files.createTempDirectory(shared, PREFIX);
    }

    private static boolean isPrivate(Path folder, Object user) throws IOException {
        try {
            Map<String, Object> is =
                    Files.readAttributes(
                            folder, "unix:uid,mode,isDirectory", LinkOption.NOFOLLOW_LINKS);
            return user.equals(is.get("uid"))
                    && Boolean.TRUE.equals(is.get("isDirectory"))
                    && is.get("mode") instanceof Integer mode
                    && (mode & OF_OTHERS) == 0;
        } catch (NoSuchFileException gone) {
            return false;
        }
    }
}
