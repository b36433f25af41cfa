package dev.forebay.suite;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * How long a class or job may take on a machine that has nothing else to do: a minute, unless it is
 * listed with a reason.
 */
final class SlowClasses {
    private static final int SECONDS = 60;

    /** What takes so many times as long as it may is taken to hang. */
    private static final int HANGS = 4;

    private final Map<String, Integer> listed;
    private final int others;

    private SlowClasses(Map<String, Integer> listed, int others) {
        this.listed = listed;
        this.others = others;
    }

    /** Allows each class the same time, in seconds: for runs with budgets of their own. */
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

    /** The seconds that a class or job may take. */
    int allowedSeconds(String key) {
        return listed.getOrDefault(key, others);
    }

    /** The seconds after which it is ended by force. */
    int hangsAfterSeconds(String key) {
        return HANGS * allowedSeconds(key);
    }
}
