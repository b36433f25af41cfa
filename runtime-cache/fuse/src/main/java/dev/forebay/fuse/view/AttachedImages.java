package dev.forebay.fuse.view;

import dev.forebay.fuse.linux.LoopDevice;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What images are on the folders of a tree, as the kernel says: other processes may have put them
 * there.
 */
final class AttachedImages {

    private static final Path MOUNTS = Path.of("/proc/self/mountinfo");
    private static final Pattern OCTAL = Pattern.compile("\\\\([0-7]{3})");
    private static final int MOUNTPOINT = 4;

    private AttachedImages() {}

    /**
     * The mounted images below a mount point.
     *
     * @return their files by where they are, those further below first
     */
    static Map<Path, List<Path>> below(Path tree) {
        Map<Path, List<Path>> images = new HashMap<>();
        for (String line : mounts()) {
            // See proc_pid_mountinfo(5): fields of the mount, a dash, type, source, options.
            String[] sides = line.split(" - ", 2);
            String[] system = sides[1].split(" ", -1);
            Path at = Path.of(unescaped(sides[0].split(" ", -1)[MOUNTPOINT]));
            if (system[0].equals("erofs") && at.startsWith(tree)) {
                String source = unescaped(system[1]);
                Path image = LoopDevice.fileOf(source).orElse(Path.of(source));
                images.computeIfAbsent(at, _ -> new ArrayList<>()).add(image);
            }
        }
        return images;
    }

    private static List<String> mounts() {
        try {
            return Files.readAllLines(MOUNTS, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("a kernel without " + MOUNTS, e);
        }
    }

    private static String unescaped(String field) {
        return OCTAL.matcher(field).replaceAll(AttachedImages::character);
    }

    private static String character(MatchResult octal) {
        String text = Character.toString((char) Integer.parseInt(octal.group(1), 8));
        return Matcher.quoteReplacement(text);
    }
}
