package dev.forebay.images;

import com.google.cloud.tools.jib.api.buildplan.AbsoluteUnixPath;
import com.google.cloud.tools.jib.api.buildplan.FileEntriesLayer;
import com.google.cloud.tools.jib.api.buildplan.FilePermissions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;

/** The content of an image before Java is added: no shell, no package manager. */
final class BaseImage {

    private static final Instant TIME = FileEntriesLayer.DEFAULT_MODIFICATION_TIME;

    private BaseImage() {}

    /**
     * Adds the files that an installation of the unpacked packages would create.
     *
     * @param root is writable and contains the unpacked packages
     */
    static void complete(Path root) throws IOException {
        Path etc = Files.createDirectories(root.resolve("etc"));
        Files.writeString(
                etc.resolve("passwd"),
                """
                root:x:0:0:root:/:/sbin/nologin
                forebay:x:65532:65532:forebay:/work:/sbin/nologin
                """);
        Files.writeString(etc.resolve("group"), "root:x:0:\nforebay:x:65532:\n");
        Files.writeString(
                etc.resolve("nsswitch.conf"), "passwd: files\ngroup: files\nhosts: files dns\n");
    }

    static FileEntriesLayer layer(Path root) throws IOException {
        return new Tree(root, "/")
                .layer("base", path -> isWanted(path) && !path.equals(Path.of("tmp"))).toBuilder()
                        .addEntry(
                                root,
                                AbsoluteUnixPath.get("/tmp"),
                                FilePermissions.fromOctalString("777"),
                                TIME)
                        .addEntry(
                                root,
                                AbsoluteUnixPath.get("/work"),
                                FilePermissions.DEFAULT_FOLDER_PERMISSIONS,
                                TIME,
                                Program.NOBODY)
                        .build();
    }

    /**
     * Returns whether a file stays in the image. Licences do; documentation for a terminal does
     * not.
     */
    static boolean isWanted(Path path) {
        if (path.startsWith("usr/share/doc")) {
            return path.endsWith("copyright");
        }
        return !path.startsWith("usr/share/man")
                && !path.startsWith("usr/share/locale")
                && !path.startsWith("usr/share/lintian")
                && !path.startsWith("usr/share/info");
    }
}
