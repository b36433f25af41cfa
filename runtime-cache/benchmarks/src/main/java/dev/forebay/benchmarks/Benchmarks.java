package dev.forebay.benchmarks;

import dev.forebay.devstack.stack.Stack;
import dev.forebay.devstack.stack.StackConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Starts a stack of one region with two workers and one mount, measures, prints a table, and writes
 * {@code target/bench/skeleton.json}. Needs root, for the mount and to drop the kernel's caches.
 * The stack's data are removed when all went well; else its logs stay below {@code target/bench}.
 */
public final class Benchmarks {
    private static final String REGION = "us-east-1";
    private static final int ROUNDS = 3;

    private Benchmarks() {}

    /** Takes no arguments; exits with 0 if everything could be measured. */
    public static void main(String[] arguments) throws Exception {
        PageCache.requireDroppable();
        Path output = Files.createDirectories(Path.of("target", "bench").toAbsolutePath());
        Path data = Files.createTempDirectory(output, "stack-");
        Map<String, Object> circumstances = circumstances();
        Results results = new Results();
        StackConfig config =
                StackConfig.inDirectory(data)
                        .regions(REGION)
                        .buckets(Lake.BUCKET)
                        .progress(Benchmarks::say)
                        .build();
        try (Stack stack = Stack.start(config);
                Lake lake = new Lake(stack.lake());
                ControlPlane control = new ControlPlane(stack.api(), REGION)) {
            say("filling the lake");
            lake.fill(data);
            Path plain = Files.createDirectories(data.resolve("plain"));
            List<Path> stores =
                    IntStream.range(0, stack.region(REGION).workers().size())
                            .mapToObj(i -> "%s.worker-%d.store".formatted(REGION, i))
                            .map(name -> Path.of(stack.addresses().get(name).orElseThrow()))
                            .toList();
            measure(
                    new Rounds(
                            control,
                            lake,
                            stack.region(REGION).mountpoint(),
                            stores,
                            plain,
                            results));
        }
        Tree.delete(data);
        Circumstances.atEnd(circumstances);
        Path file = output.resolve("skeleton.json");
        results.write(file, circumstances);
        System.out.println(results.table());
        say("written to " + file);
    }

    private static void measure(Rounds rounds) throws Exception {
        say("first ensure, then a round to warm up");
        rounds.first();
        rounds.round(0, false);
        for (int i = 1; i <= ROUNDS; i++) {
            say("round %d of %d".formatted(i, ROUNDS));
            rounds.round(i, true);
        }
    }

    private static Map<String, Object> circumstances() throws IOException {
        Map<String, Object> all = Circumstances.atStart();
        all.put("large_bytes", Lake.LARGE_BYTES);
        all.put("small_objects", Lake.SMALL_OBJECTS);
        all.put("small_bytes", Lake.SMALL_BYTES);
        all.put("rounds", ROUNDS);
        return all;
    }

    private static void say(String line) {
        System.err.println("[bench] " + line);
    }
}
