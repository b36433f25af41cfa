package dev.forebay.devstack.stack;

import dev.forebay.devstack.DevstackException;
import dev.forebay.devstack.program.AotCache;
import dev.forebay.devstack.program.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Writes the AOT caches of all programs beside their jars. It starts a small stack whose programs
 * record, gives it work, and stops it. Then the JDK makes a cache of each record.
 */
public final class Training {
    private static final int CREATED_WITHIN_MINUTES = 10;

    private final Path data;
    private final Consumer<String> progress;
    private final Repository repository = Repository.current();

    /** At most two at a time, because each takes a core and up to 1 GB of memory. */
    private final Semaphore permits = new Semaphore(2);

    /**
     * Creates a training in a directory.
     *
     * @param data where the stack's data and logs go
     * @param progress receives a line for each step
     */
    public Training(Path data, Consumer<String> progress) {
        this.data = data;
        this.progress = progress;
    }

    /**
     * Trains all programs.
     *
     * @throws DevstackException if a program leaves no record, or the JDK makes no cache of it
     */
    public void run() throws IOException, InterruptedException {
        List<Program> programs = List.of(Program.values());
        for (Program program : programs) {
            Files.deleteIfExists(cache(program).file());
            Files.deleteIfExists(cache(program).recorded());
        }
        try {
            long began = System.nanoTime();
            record();
            progress.accept("trained in %.1f s".formatted(secondsSince(began)));
            AllAtOnce.run(programs, this::create);
        } finally {
            for (Program program : programs) {
                Files.deleteIfExists(cache(program).recorded());
            }
        }
    }

    private void record() throws IOException, InterruptedException {
        StackConfig config =
                StackConfig.inDirectory(data)
                        .regions(TrainingRun.REGION)
                        .workersPerRegion(1)
                        .training()
                        .progress(progress)
                        .build();
        try (Stack stack = Stack.start(config)) {
            new TrainingRun(stack).run();
            progress.accept("waiting until the programs end and write their recordings");
        }
    }

    private void create(Program program) {
        AotCache cache = cache(program);
        if (!Files.exists(cache.recorded())) {
            throw new DevstackException(
                    "%s recorded nothing: see the logs below %s".formatted(program, data));
        }
        permits.acquireUninterruptibly();
        try {
            long began = System.nanoTime();
            Path log = data.resolve(cache.file().getFileName() + ".log");
            Process process =
                    new ProcessBuilder(repository.command(program).creatingCache())
                            .redirectErrorStream(true)
                            .redirectOutput(log.toFile())
                            .start();
            if (!process.waitFor(CREATED_WITHIN_MINUTES, TimeUnit.MINUTES)) {
                process.destroyForcibly();
                throw new DevstackException(
                        "the AOT cache of %s did not end in %d minutes: see %s"
                                .formatted(program, CREATED_WITHIN_MINUTES, log));
            }
            if (process.exitValue() != 0 || !cache.publish()) {
                throw new DevstackException(
                        "the JDK made no AOT cache for %s: see %s".formatted(program, log));
            }
            progress.accept(
                    "%s has %d MB and took %.1f s"
                            .formatted(
                                    cache.file(),
                                    Files.size(cache.file()) >> 20,
                                    secondsSince(began)));
        } catch (IOException e) {
            throw new DevstackException("cannot make the AOT cache of " + program, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DevstackException("interrupted", e);
        } finally {
            permits.release();
        }
    }

    private AotCache cache(Program program) {
        return AotCache.of(program, repository.jar(program));
    }

    private static double secondsSince(long nanos) {
        return (System.nanoTime() - nanos) / 1e9;
    }
}
