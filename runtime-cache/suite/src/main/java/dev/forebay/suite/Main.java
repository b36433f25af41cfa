package dev.forebay.suite;

import dev.forebay.devstack.DevstackException;
import dev.forebay.devstack.stack.Leftovers;
import dev.forebay.devstack.stack.OwnedDirectory;
import dev.forebay.suite.fork.TestOutcome;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command that {@code make test} and {@code make check} run. */
@Command(
        name = "suite",
        mixinStandardHelpOptions = true,
        description =
                "Runs tests of the modules of a built tree, several classes beside each other.")
public final class Main implements Callable<Integer> {
    /** The list of classes that may take more than a minute, relative to the repository. */
    static final String SLOW_CLASSES = "runtime-cache/suite/slow-classes.txt";

    static final String SKIPS = "runtime-cache/suite/skips.txt";

    private static final Path KNOWN_TIMES = Path.of("runtime-cache/suite/times.tsv");
    private static final Path OUTPUT = Path.of("target/suite");

    /** Processes that a test JVM has started end by themselves within this time after it. */
    private static final Duration GRACE = Duration.ofSeconds(5);

    /** The exit status that shells use for SIGINT. */
    private static final int INTERRUPTED = 130;

    @Option(
            names = "--parts",
            split = ",",
            defaultValue = "unit,lincheck,integration,kube-slice",
            converter = PartConverter.class,
            description =
                    "The parts to run: unit, lincheck, integration, long, kube-slice,"
                            + " kube, container (default: ${DEFAULT-VALUE}).")
    private List<SuitePart> parts = List.of();

    @Option(
            names = "--tests",
            split = "[ ,]+",
            description =
                    "Run only these: simple names of classes, * for any characters, and with"
                            + " #METHOD only such methods (a regular expression).")
    private List<String> tests = List.of();

    @Option(
            names = "--job",
            description = "A command that is a part of the run, as NAME=COMMAND. May be repeated.")
    private List<String> jobs = List.of();

    @Option(
            names = "--slots",
            defaultValue = "3",
            description =
                    "Slots for tests that compute. With more than one slot, there are two more for"
                            + " tests that mostly wait (default: 3).")
    private int slots;

    @Option(
            names = "--limit",
            description =
                    "Limit for each class, in seconds (default: a minute, or the limit in "
                            + SLOW_CLASSES
                            + ").")
    private @Nullable Integer limit;

    @Option(names = "-D", description = "A system property of the test JVMs.")
    private Map<String, String> properties = new LinkedHashMap<>();

    @Option(
            names = "--without-second-compiler",
            description =
                    "Start test JVMs without the C2 compiler, which costs more than it saves in"
                            + " short tests.")
    private boolean withoutSecondCompiler;

    @Option(
            names = "--changed",
            description = "Leave out modules whose tests passed with the same code before.")
    private boolean changed;

    @Option(
            names = "--strict",
            description = "Fail on tests that are skipped for other reasons than in " + SKIPS + ".")
    private boolean strict;

    private final Path repository;
    private final PrintStream out;

    private Main(Path repository, PrintStream out) {
        this.repository = repository;
        this.out = out;
    }

    /** Runs the command in the current directory. */
    @SuppressWarnings("SystemOut")
    public static void main(String[] arguments) {
        System.exit(run(Path.of("").toAbsolutePath(), System.out, arguments));
    }

    /** Returns the exit status: 1 if a test failed, 2 if nothing can run, 130 if interrupted. */
    static int run(Path repository, PrintStream out, String... arguments) {
        PrintWriter writer = new PrintWriter(out, true, StandardCharsets.UTF_8);
        return new CommandLine(new Main(repository, out))
                .setOut(writer)
                .setErr(writer)
                .execute(arguments);
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (!CloneLock.take(repository)) {
            out.println(CloneLock.REFUSAL);
            return 2;
        }
        try {
            return runTests();
        } catch (DevstackException e) {
            out.println(e.getMessage());
            return 2;
        }
    }

    private int runTests() throws IOException, InterruptedException {
        PassedModules passed =
                new PassedModules(repository.resolve(OUTPUT).resolve("passed"), repository);
        Selection selection = new Selection(tests);
        List<TestClass> found = classes(selection);
        List<String> missing = selection.missing(found);
        if (!missing.isEmpty()) {
            return noTestMatches(missing);
        }
        List<SuitePart> empty =
                parts.stream()
                        .filter(part -> found.stream().noneMatch(test -> test.part() == part))
                        .toList();
        if (selection.isAll() && !empty.isEmpty()) {
            out.printf(
                    "No test class belongs to %s: look at the names and tags of classes.%n", empty);
            return 2;
        }
        List<TestClass> classes = changed ? notKnownToPass(found, passed) : found;
        List<Work> work = new ArrayList<>(classes);
        jobs.forEach(job -> work.add(Job.parse(job)));
        if (work.isEmpty()) {
            return nothingToRun();
        }
        Path output = Files.createDirectories(repository.resolve(OUTPUT));
        Path logs = Files.createDirectories(output.resolve("logs"));
        Path times = output.resolve("times.tsv");
        ClassTimes recorded = ClassTimes.read(repository.resolve(KNOWN_TIMES));
        ClassTimes known = ClassTimes.read(repository.resolve(KNOWN_TIMES), times);
        RunReport report = new RunReport(out);
        Skips skips = strict ? Skips.read(repository.resolve(SKIPS)) : Skips.any();
        List<Path> targets =
                MavenModule.in(repository).stream()
                        .map(module -> module.directory().resolve("target"))
                        .toList();
        // A killed earlier run may have left mounts and devices. They do not count as a defect of
        // this run.
        Leftovers.cleanUp(ours(targets)).forEach(out::println);
        Path temporary =
                TemporaryFolder.make(Path.of(System.getProperty("java.io.tmpdir")), out::println);
        Slots running =
                new Slots(
                        repository,
                        logs,
                        temporary,
                        limit == null
                                ? SlowClasses.read(repository.resolve(SLOW_CLASSES))
                                : SlowClasses.all(limit),
                        recorded,
                        jvmOptions(),
                        selection,
                        result -> report.add(skips.judge(result)));
        Thread hook =
                new Thread(
                        () -> {
                            running.close();
                            clean(temporary, Duration.ZERO, targets).forEach(out::println);
                        },
                        "suite-clean-up");
        Runtime.getRuntime().addShutdownHook(hook);
        List<Work> waiting = work.stream().filter(known::waits).toList();
        List<Work> computing = work.stream().filter(one -> !known.waits(one)).toList();
        running.run(new TestQueue(computing, known), slots, new TestQueue(waiting, known));
        if (running.isClosed()) {
            return INTERRUPTED;
        }
        List<String> left = clean(temporary, GRACE, targets);
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            return INTERRUPTED;
        }
        if (!left.isEmpty()) {
            report.add(leftovers(left, logs));
        }
        lost(work, report).forEach(each -> report.add(lost(each, logs)));
        if (report.isEmpty()) {
            return nothingToRun();
        }
        report.end(running.pace());
        if (selection.isAll() && !jobs.isEmpty() && !changed && !report.failed()) {
            ClassTimes.write(times, report.summary(), report.results());
        }
        if (left.isEmpty()) {
            remember(passed, classes, report);
        }
        List<String> notRun = changed ? List.of() : selection.missing(withOutcomes(found, report));
        if (!report.failed() && !notRun.isEmpty()) {
            return noTestMatches(notRun);
        }
        return report.failed() ? 1 : 0;
    }

    private List<String> jvmOptions() {
        List<String> options = new ArrayList<>();
        if (withoutSecondCompiler) {
            options.add("-XX:TieredStopAtLevel=1");
        }
        properties.forEach((name, value) -> options.add("-D" + name + "=" + value));
        return options;
    }

    private int nothingToRun() {
        if (changed && tests.isEmpty()) {
            out.println("Nothing has changed since these tests passed.");
            return 0;
        }
        return noTestMatches(tests);
    }

    private int noTestMatches(List<String> missing) {
        out.printf("No test matches %s in %s.%n", missing, parts);
        return 2;
    }

    private List<TestClass> classes(Selection selection) throws IOException {
        List<TestClass> found = new ArrayList<>();
        for (MavenModule module : MavenModule.in(repository)) {
            TestClasses.of(module, new HashSet<>(parts)).stream()
                    .filter(selection::includes)
                    .forEach(found::add);
        }
        return found;
    }

    private static List<TestClass> notKnownToPass(List<TestClass> found, PassedModules passed)
            throws IOException {
        Set<TestClass> known = new HashSet<>();
        for (Map.Entry<MavenModule, List<TestClass>> module : byModule(found).entrySet()) {
            for (TestClass test : module.getValue()) {
                if (passed.has(module.getKey(), test.part())) {
                    known.add(test);
                }
            }
        }
        return found.stream().filter(test -> !known.contains(test)).toList();
    }

    private static List<TestClass> withOutcomes(List<TestClass> classes, RunReport report) {
        Set<String> names =
                report.results().stream()
                        .filter(result -> !result.outcomes().isEmpty())
                        .map(ClassResult::name)
                        .collect(Collectors.toSet());
        return classes.stream().filter(test -> names.contains(test.key())).toList();
    }

    private static Map<MavenModule, List<TestClass>> byModule(List<TestClass> classes) {
        return classes.stream().collect(Collectors.groupingBy(TestClass::module));
    }

    /**
     * Remembers that the tests of a module pass, if all of its classes of a part ran and passed.
     */
    private void remember(PassedModules passed, List<TestClass> classes, RunReport report)
            throws IOException {
        if (!tests.isEmpty()) {
            return;
        }
        Set<String> failed =
                report.results().stream()
                        .filter(ClassResult::failed)
                        .map(ClassResult::name)
                        .collect(Collectors.toSet());
        for (Map.Entry<MavenModule, List<TestClass>> module : byModule(classes).entrySet()) {
            Map<SuitePart, List<TestClass>> ofPart =
                    module.getValue().stream().collect(Collectors.groupingBy(TestClass::part));
            for (Map.Entry<SuitePart, List<TestClass>> part : ofPart.entrySet()) {
                if (part.getValue().stream().noneMatch(test -> failed.contains(test.key()))) {
                    passed.remember(module.getKey(), part.getKey());
                }
            }
        }
    }

    /**
     * Returns the folders where mounts and loop devices belong to tests: the modules, and the data
     * of stacks whose jobs were killed. In other folders the developer may have mounted a stack.
     */
    private List<Path> ours(List<Path> targets) {
        List<Path> ours = new ArrayList<>(targets);
        ours.addAll(OwnedDirectory.abandonedIn(repository.resolve("target")));
        return ours;
    }

    /** Returns the work without a result, which would otherwise count as passed. */
    private static List<Work> lost(List<Work> work, RunReport report) {
        List<String> names = report.results().stream().map(ClassResult::name).toList();
        return work.stream().filter(each -> !names.contains(each.key())).toList();
    }

    private static ClassResult lost(Work work, Path logs) {
        TestOutcome outcome =
                new TestOutcome(
                        work.key(),
                        TestOutcome.Status.FAILED,
                        "The runner has no result for it: see its log.",
                        0);
        return new ClassResult(work.key(), work.key(), List.of(outcome), 0, 0, logs);
    }

    /**
     * Removes what tests have left, as far as possible.
     *
     * @return a line for each thing that tests left, or that could not be removed
     */
    private synchronized List<String> clean(Path temporary, Duration grace, List<Path> targets) {
        List<String> left = new ArrayList<>();
        List<Runnable> steps = new ArrayList<>();
        steps.add(() -> TemporaryFolder.remove(temporary, grace, left::add));
        ours(targets)
                .forEach(each -> steps.add(() -> left.addAll(Leftovers.cleanUp(List.of(each)))));
        for (Runnable step : steps) {
            try {
                step.run();
            } catch (RuntimeException e) {
                left.add("could not clean up: " + e.getMessage());
            }
        }
        return left;
    }

    private static ClassResult leftovers(List<String> left, Path logs) {
        List<TestOutcome> outcomes =
                left.stream()
                        .map(
                                line ->
                                        new TestOutcome(
                                                "clean-up",
                                                TestOutcome.Status.FAILED,
                                                "A test did not clean up: the runner " + line,
                                                0))
                        .toList();
        return new ClassResult("leftovers", "leftovers", outcomes, 0, 0, logs);
    }

    private static final class PartConverter implements CommandLine.ITypeConverter<SuitePart> {
        @Override
        public SuitePart convert(String name) {
            return Stream.of(SuitePart.values())
                    .filter(part -> part.toString().equals(name))
                    .findFirst()
                    .orElseThrow(
                            () ->
                                    new CommandLine.TypeConversionException(
                                            "'%s' is none of %s"
                                                    .formatted(name, List.of(SuitePart.values()))));
        }
    }
}
