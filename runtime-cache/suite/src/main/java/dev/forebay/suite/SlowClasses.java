package dev.forebay.suite;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * The time limits of classes and jobs on a machine without other load. The limit is a minute,
 * unless the list has another one with a reason.
 */
final class SlowClasses {
    private static final int SECONDS = 60;

    /** A class that takes so many times its limit counts as hung. */
    private static final int HANGS = 4;

    /**
     * For classes without a limit of their own: JUnit ends a test earlier, and the class goes on.
     */
    private static final int LEAST_HANG_SECONDS = (int) Fork.TEST_LIMIT.plusSeconds(30).toSeconds();

    private final Map<String, Integer> listed;
    private final int others;

    private SlowClasses(Map<String, Integer> listed, int others) {
        this.listed = listed;
        this.others = others;
    }

    /**
     * Allows each class the same time, in seconds. Runs before a release have limits of their own.
     */
    static SlowClasses all(int seconds) {
        return new SlowClasses(Map.of(), seconds);
    }

    /**
     * Reads a list: on each line a full name, seconds, and the reason, separated by spaces.
     *
     * @throws IllegalArgumentException naming the line that lacks one of them
     */
    static SlowClasses read(Path file) throws IOException {
        Map<String, Integer> listed = new HashMap<>();
        for (String line : Files.readAllLines(file)) {
            if (line.isBlank() || line.startsWith("#")) {
                continue;
            }
            String[] fields = line.split(" +", 3);
            if (fields.length < 3 || !fields[1].matches("\\d+")) {
                throw new IllegalArgumentException(
                        "%s: a line is CLASS SECONDS REASON, not: %s".formatted(file, line));
            }
            listed.put(fields[0], Integer.valueOf(fields[1]));
        }
        return new SlowClasses(listed, SECONDS);
    }

    /** Returns the seconds that a class or job may take. */
    int allowedSeconds(String key) {
        return listed.getOrDefault(key, others);
    }

    /** Returns the seconds after which the runner ends the class or job by force. */
    int hangsAfterSeconds(String key) {
        int seconds = HANGS * allowedSeconds(key);
        return listed.containsKey(key) ? seconds : Math.max(seconds, LEAST_HANG_SECONDS);
    }
}
