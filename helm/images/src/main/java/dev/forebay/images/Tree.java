package dev.forebay.images;

import com.google.cloud.tools.jib.api.buildplan.AbsoluteUnixPath;
import com.google.cloud.tools.jib.api.buildplan.FileEntriesLayer;
import com.google.cloud.tools.jib.api.buildplan.FilePermissions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * A directory of this machine as part of a layer. All files belong to root and have the same time
 * and one of two modes. Therefore the layer depends neither on this machine's umask nor on its
 * clock, and has no setuid files.
 *
 * @param root the directory
 * @param at its path in the image
 */
record Tree(Path root, String at) {

    private static final FilePermissions PROGRAM = FilePermissions.fromOctalString("755");
    private static final int LINKS_IN_A_ROW = 8;

    /**
     * Returns a layer with the paths of the directory, relative to it, that match. Jib does not
     * support symbolic links: a link to a file becomes a copy, a link to a directory is left out.
     */
    FileEntriesLayer layer(String name, Predicate<Path> wanted) throws IOException {
        FileEntriesLayer.Builder layer = FileEntriesLayer.builder().setName(name);
        for (Path path : Directories.below(root)) {
            Path relative = root.relativize(path);
            if (path.equals(root) || !wanted.test(relative)) {
                continue;
            }
            AbsoluteUnixPath place = AbsoluteUnixPath.get(at).resolve(relative);
            if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
                layer.addEntry(path, place);
                continue;
            }
            Optional<Path> file = followed(path);
            if (file.isPresent()) {
                layer.addEntry(
                        file.get(),
                        place,
                        Files.isExecutable(file.get())
                                ? PROGRAM
                                : FilePermissions.DEFAULT_FILE_PERMISSIONS);
            }
        }
        return layer.build();
    }

    /** Follows links within this directory, without regard to their targets on this machine. */
    private Optional<Path> followed(Path path) throws IOException {
        Path here = path;
        for (int i = 0; i < LINKS_IN_A_ROW && Files.isSymbolicLink(here); i++) {
            Path target = Files.readSymbolicLink(here);
            here =
                    (target.isAbsolute()
                                    ? root.resolve(target.toString().substring(1))
                                    : here.resolveSibling(target))
                            .normalize();
            if (!here.startsWith(root)) {
                throw new IOException("%s is outside of %s".formatted(path, root));
            }
        }
        return Files.isRegularFile(here, LinkOption.NOFOLLOW_LINKS)
                ? Optional.of(here)
                : Optional.empty();
    }
}
