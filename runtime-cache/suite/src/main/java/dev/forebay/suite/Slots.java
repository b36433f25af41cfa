package dev.forebay.suite;

import dev.forebay.suite.SharedMachine.Moment;
import dev.forebay.suite.fork.TestOutcome;
import dev.forebay.suite.fork.TestOutcome.Status;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs the work of agendas in several slots in parallel. Any thread may call {@link #close} at any
 * time.
 */
final class Slots implements AutoCloseable {
    private static final Duration ENDS_WITHIN = Duration.ofSeconds(20);

    /** The number of additional slots, which begin with work that mostly waits. */
    private static final int WAITING = 2;

    /** The name of the failure of a class that took too long. {@code faults.py} also knows it. */
    private static final String DURATION = "duration";

    private final Path repository;
    private final Path logs;
    private final Path temporary;
    private final SlowClasses slow;
    private final ClassTimes recorded;
    private final List<String> jvmOptions;
    private final Selection selection;
    private final Consumer<ClassResult> done;
    private final SharedMachine machine = new SharedMachine();
    private final CpuComparison pace = new CpuComparison();
    private final AtomicInteger forkNumbers = new AtomicInteger();
    private final Set<Fork> forks = ConcurrentHashMap.newKeySet();
    private final Set<Process> jobs = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /**
     * @param logs where output is kept
     * @param temporary where forks have their temporary directories
     * @param recorded the times of the earlier run for which the limits are set
     * @param jvmOptions of test JVMs, in addition to those that every one has
     * @param selection which methods of a class to run
     * @param done receives each result, from several threads
     */
    Slots(
            Path repository,
            Path logs,
            Path temporary,
            SlowClasses slow,
            ClassTimes recorded,
            List<String> jvmOptions,
            Selection selection,
            Consumer<ClassResult> done) {
        this.repository = repository;
        this.logs = logs;
        this.temporary = temporary;
        this.slow = slow;
        this.recorded = recorded;
        this.jvmOptions = List.copyOf(jvmOptions);
        this.selection = selection;
        this.done = done;
    }

    /**
     * Runs both agendas, and returns when they are empty.
     *
     * @param computing work that mostly uses the processor
     * @param count how many slots begin with the work that computes
     * @param waiting work that mostly waits; if count is more than 1, two more slots begin with it
     */
    void run(TestQueue computing, int count, TestQueue waiting) throws InterruptedException {
        List<Thread> slots = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            slots.add(start(computing, waiting));
        }
        for (int i = 0; i < WAITING && count > 1; i++) {
            slots.add(start(waiting, computing));
        }
        for (Thread slot : slots) {
            slot.join();
        }
    }

    private Thread start(TestQueue first, TestQueue then) {
        return Thread.ofPlatform()
                .name("slot")
                .start(
                        () -> {
                            slot(first);
                            slot(then);
                        });
    }

    private void slot(TestQueue agenda) {
        @Nullable Fork fork = null;
        Optional<Work> next = agenda.next(Optional.empty());
        while (next.isPresent() && !closed) {
            try {
                fork = run(next.get(), fork);
            } catch (RuntimeException | Error e) {
                // Work without a result would count as passed.
                String key = next.get().key();
                List<TestOutcome> lost = List.of(failure(key, "The runner failed: " + traceOf(e)));
                done.accept(new ClassResult(key, key, lost, 0, 0, logs));
            }
            next = agenda.next(next);
        }
        if (fork != null) {
            end(fork);
        }
    }

    /** Runs a class or job, and returns the JVM to use for the next one, or null. */
    private @Nullable Fork run(Work work, @Nullable Fork present) {
        @Nullable Fork fork = present;
        if (fork != null && !(work instanceof TestClass test && fork.suits(test))) {
            end(fork);
            fork = null;
        }
        return switch (work) {
            case TestClass test -> run(test, fork);
            case Job job -> {
                run(job);
                yield null;
            }
        };
    }

    /** Runs a class, and returns its JVM if that can run another class. */
    private @Nullable Fork run(TestClass test, @Nullable Fork present) {
        Path log = logs.resolve(test.key().replace(' ', '-') + ".log");
        Moment begin = machine.now();
        double cpuBefore = present == null ? 0 : present.tree().cpuSeconds();
        @Nullable Fork fork = present;
        ReceivedOutcomes received = new ReceivedOutcomes();
        List<TestOutcome> outcomes;
        double cpu = 0;
        try {
            if (fork == null) {
                fork = start(test);
            }
            String methods = selection.methods(test);
            fork.run(test, methods, log, hangLimit(test, begin), received);
            outcomes = received.outcomes();
            cpu = fork.tree().cpuSeconds() - cpuBefore;
            if (outcomes.isEmpty() && methods.isEmpty()) {
                outcomes =
                        List.of(
                                failure(
                                        test.simpleName(),
                                        "None of its methods is a test that runs: look at its annotations and tags."));
            }
        } catch (IOException e) {
            outcomes = new ArrayList<>(received.outcomes());
            outcomes.add(failure(received.running(test.simpleName()), describe(e)));
            if (fork != null) {
                end(fork);
                fork = null;
            }
        }
        if (!closed) {
            report(test.key(), test.module().name(), outcomes, begin, cpu, log);
        }
        return fork;
    }

    private HangLimit hangLimit(Work work, Moment begin) {
        return new HangLimit(
                slow.hangsAfterSeconds(work.key()), () -> stretch(begin, machine.now()));
    }

    /** Returns the factor for time limits. */
    private double stretch(Moment begin, Moment end) {
        return end.stretchSince(begin, Runtime.getRuntime().availableProcessors()) * pace.stretch();
    }

    private static TestOutcome failure(String name, String detail) {
        return new TestOutcome(name, Status.FAILED, detail, 0);
    }

    private static String traceOf(Throwable failure) {
        StringWriter trace = new StringWriter();
        failure.printStackTrace(new PrintWriter(trace));
        return trace.toString();
    }

    private static String describe(IOException failure) {
        return failure.getCause() == null
                ? String.valueOf(failure.getMessage())
                : failure.getMessage() + ": " + failure.getCause();
    }

    private Fork start(TestClass test) throws IOException {
        int number = forkNumbers.incrementAndGet();
        Path directory = Files.createDirectories(temporary.resolve(Integer.toString(number)));
        Fork fork = Fork.start(test.module(), test.part(), number, directory, logs, jvmOptions);
        forks.add(fork);
        if (closed) {
            end(fork);
        }
        return fork;
    }

    private void end(Fork fork) {
        fork.close();
        forks.remove(fork);
    }

    private void run(Job job) {
        Path log = logs.resolve(job.name() + ".log");
        Moment begin = machine.now();
        try {
            Process process = job.start(repository, log);
            jobs.add(process);
            ProcessTree tree = new ProcessTree(process.toHandle());
            CpuMeter meter = CpuMeter.of(tree);
            List<TestOutcome> outcomes;
            double cpu;
            try {
                HangLimit limit = hangLimit(job, begin);
                outcomes = closed ? List.of() : job.await(process, log, limit);
            } finally {
                // Ends a job that exceeded its limit.
                tree.end(ENDS_WITHIN);
                jobs.remove(process);
                cpu = meter.stop();
            }
            if (!closed) {
                report(job.name(), job.name(), outcomes, begin, cpu, log);
            }
        } catch (IOException e) {
            List<TestOutcome> outcomes = List.of(failure(job.name(), describe(e)));
            report(job.name(), job.name(), outcomes, begin, 0, log);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void report(
            String name,
            String module,
            List<TestOutcome> outcomes,
            Moment begin,
            double cpuSeconds,
            Path log) {
        Moment end = machine.now();
        double seconds = end.secondsSince(begin);
        List<TestOutcome> all = new ArrayList<>(outcomes);
        double stretch = stretch(begin, end);
        int allowed = slow.allowedSeconds(name);
        if (seconds > allowed * stretch) {
            all.add(
                    failure(
                            DURATION,
                            "It took %.0f s. Its limit is %d s, on this machine now %.0f s: make it shorter, or list it in %s with a reason."
                                    .formatted(
                                            seconds,
                                            allowed,
                                            allowed * stretch,
                                            Main.SLOW_CLASSES)));
        }
        ClassResult result = new ClassResult(name, module, all, seconds, cpuSeconds, log);
        if (!result.failed()) {
            recorded.cpuSeconds(name).ifPresent(before -> pace.add(before, cpuSeconds));
        }
        done.accept(result);
    }

    CpuComparison pace() {
        return pace;
    }

    /** Returns whether {@link #close} was called. */
    boolean isClosed() {
        return closed;
    }

    /** Ends all test JVMs and jobs. */
    @Override
    public void close() {
        closed = true;
        List<Thread> ending = new ArrayList<>();
        for (Fork fork : forks) {
            ending.add(Thread.ofPlatform().start(fork::close));
        }
        for (Process job : jobs) {
            ProcessTree tree = new ProcessTree(job.toHandle());
            ending.add(Thread.ofPlatform().start(() -> tree.end(ENDS_WITHIN)));
        }
        for (Thread thread : ending) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                return;
            }
        }
    }
}
