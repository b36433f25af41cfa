package dev.forebay.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.devstack.program.JavaCommand;
import dev.forebay.devstack.program.Program;
import dev.forebay.devstack.server.ChildProcess;
import dev.forebay.devstack.server.EtcdServer;
import dev.forebay.devstack.server.ProcessIdentity;
import dev.forebay.fuse.view.View;
import dev.forebay.membership.NodeReport;
import dev.forebay.membership.etcd.EtcdConfig;
import dev.forebay.membership.etcd.EtcdRegionState;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.RegionName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * A region with one version, and a holder, pods and checking readers as processes of the packaged
 * program.
 */
final class HeldMountFixture implements AutoCloseable {

    static final Path JAR = Path.of("target/forebay-fuse/forebay-fuse.jar");
    private static final String JAVA = ProcessHandle.current().info().command().orElseThrow();
    private static final String CACHE = "--cache-directory=";

    /** Programs that run for seconds lose more than they gain by the second compiler. */
    private static final String QUICK = "-XX:TieredStopAtLevel=1";

    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    /** The longest pause between two reads of a checking reader; 0 takes all processors. */
    private static final int READER_PAUSE_MILLIS = Integer.getInteger("forebay.reader.pause", 20);

    static final DatasetVersion VERSION = DatasetVersion.of("vision", "digits", "v1");

    /** A process and its output. */
    record Running(Process process, Path output) {

        String printed() {
            try {
                return Files.readString(output);
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        }

        /** Waits until it has printed a text. */
        void await(String text) {
            long deadline = System.nanoTime() + TIMEOUT.toNanos();
            while (!printed().contains(text)) {
                assertThat(process.isAlive()).as("%s", printed()).isTrue();
                assertThat(System.nanoTime())
                        .as("'%s' in %s", text, printed())
                        .isLessThan(deadline);
                LockSupport.parkNanos(2_000_000);
            }
        }

        /** Kills it by SIGKILL, and returns the time. */
        long kill() throws InterruptedException {
            long at = CheckingReader.micros();
            process.destroyForcibly();
            assertThat(process.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS)).isTrue();
            return at;
        }

        /** Sends it a signal, by its name. After STOP, waits until it is stopped. */
        void signal(String name) throws IOException, InterruptedException {
            String pid = Long.toString(process.pid());
            assertThat(new ProcessBuilder("kill", "-" + name, pid).start().waitFor()).isZero();
            while (name.equals("STOP") && !ProcessIdentity.isStopped(process.pid())) {
                Thread.onSpinWait();
            }
        }

        /** Limits its descriptors: it cannot open any with a number this high or higher. */
        void limitDescriptors(int limit) throws IOException, InterruptedException {
            String pid = "--pid=" + process.pid();
            assertThat(
                            new ProcessBuilder("prlimit", pid, "--nofile=" + limit + ":")
                                    .start()
                                    .waitFor())
                    .isZero();
        }

        /** Stops it by SIGTERM, and returns its exit code. */
        int stop() throws InterruptedException {
            process.destroy();
            assertThat(process.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS)).isTrue();
            return process.exitValue();
        }
    }

    private final Path directory;
    private final EtcdServer etcd;
    private final FakeWorker worker;
    private final EtcdRegionState region;
    private final ManifestRef manifest;
    private final List<Running> started = new ArrayList<>();
    private final Path mountpoint;

    HeldMountFixture(Path directory) throws Exception {
        this.directory = directory;
        etcd = EtcdServer.start(directory.resolve("etcd"));
        worker = new FakeWorker();
        TestDataset dataset = TestDataset.write(directory, VERSION, CheckingReader.objects());
        worker.serve(dataset);
        region =
                EtcdRegionState.connect(
                        EtcdConfig.of(List.of(etcd.endpoint())), new RegionName("r1"));
        AutoCloseable _ = region.join(worker.node());
        manifest = dataset.mount().manifest();
        mount(VERSION);
        // The first holder creates it.
        mountpoint = directory.resolve("mnt");
    }

    /** Mounts the files under another version's name. */
    void mount(DatasetVersion version) {
        region.mount(version, manifest);
        region.markCached(version);
    }

    /** Unmounts the version in the region. */
    void unmount() {
        unmount(VERSION);
    }

    /** Unmounts a version in the region. */
    void unmount(DatasetVersion version) {
        region.beginEviction(version);
        region.unmount(version);
    }

    /** Returns the reports of nodes about what they hold. */
    List<NodeReport> nodes() {
        return region.nodes();
    }

    /** Returns the mount point of the tree. */
    Path tree() {
        return mountpoint;
    }

    /** Returns the version's directory. */
    Path root() {
        return mountpoint.resolve(VERSION.path());
    }

    /** A step that may fail. */
    interface Step {
        void run() throws Exception;
    }

    /** Runs a step while etcd is dead. */
    void whileEtcdIsAway(Step step) throws Exception {
        etcd.kill9();
        try {
            step.run();
        } finally {
            etcd.restart();
        }
    }

    /** Makes the worker refuse all objects, as if the lake had other ones. */
    void changeObjects() {
        CheckingReader.objects().keySet().forEach(worker::change);
    }

    /** Makes all workers unreachable. */
    void stopWorker() {
        worker.close();
    }

    /** Returns the current view of the version, according to the kernel. */
    View view() throws IOException {
        List<String> stack = ImageTreeContract.mountsAt(root());
        if (stack.isEmpty()) {
            return View.PORTABLE;
        }
        return stack.getLast().contains("/native/") ? View.NATIVE : View.ON_DEMAND;
    }

    /** Waits until the version has this view. */
    void awaitView(View wanted) throws IOException {
        awaitView(EnumSet.of(wanted));
    }

    /**
     * Waits until the version is shown by its image. A version that is soon complete here is on
     * demand for a moment only.
     */
    void awaitImage() throws IOException {
        awaitView(EnumSet.of(View.ON_DEMAND, View.NATIVE));
    }

    private void awaitView(Set<View> wanted) throws IOException {
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        while (!wanted.contains(view())) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError(
                        "shown as %s, not as one of %s; it printed:%n%s"
                                .formatted(view(), wanted, started.getLast().printed()));
            }
            LockSupport.parkNanos(2_000_000);
        }
    }

    boolean mounted() throws IOException {
        return Files.readString(Path.of("/proc/self/mountinfo")).contains(mountpoint.toString());
    }

    /** Returns whether the holder's sign of a mount exists. */
    boolean saidToBeMounted() {
        return Files.isDirectory(directory.resolve("holder/mounted"));
    }

    /** Starts a process that ends with the fixture. */
    Running start(String name, List<String> command) throws IOException {
        Running running = start(directory, name, command);
        started.add(running);
        return running;
    }

    private static Running start(Path directory, String name, List<String> command)
            throws IOException {
        Path output = Files.createTempFile(directory, name, ".log");
        Process process =
                ChildProcess.start(
                        new ProcessBuilder(command)
                                .redirectErrorStream(true)
                                .redirectOutput(output.toFile()));
        return new Running(process, output);
    }

    private Running program(
            String name, Program program, List<String> options, List<String> arguments)
            throws IOException {
        List<String> command = JavaCommand.of(program, JAR).options(options).build();
        command.addAll(arguments);
        return start(name, command);
    }

    /** Starts a holder. */
    Running holder(String... more) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("hold"));
        arguments.addAll(List.of("--holder", directory.resolve("holder").toString()));
        arguments.addAll(List.of("--mountpoint", mountpoint.toString()));
        arguments.addAll(Arrays.asList(more));
        Running holder = program("holder", Program.HOLDER, List.of("-Xmx32m", QUICK), arguments);
        holder.await("is held");
        return holder;
    }

    /** Starts a CSI driver, which needs no region. */
    Running driver(Path socket, Path kubelet, String... more) throws IOException {
        List<String> arguments =
                new ArrayList<>(
                        List.of(
                                "csi",
                                "--socket=" + socket,
                                "--mountpoint=" + mountpoint,
                                "--node=node-1",
                                "--kubelet-directory=" + kubelet));
        arguments.addAll(Arrays.asList(more));
        Running driver = program("driver", Program.POD, List.of("-Xmx64m", QUICK), arguments);
        driver.await("through " + socket);
        return driver;
    }

    /**
     * Starts a pod, which shares its packs and images with the other pods unless options say
     * otherwise.
     *
     * @param name the name of its directory, which one process may use at a time
     */
    Running pod(String name, String... more) throws IOException {
        List<String> arguments =
                new ArrayList<>(
                        List.of(
                                "--region=r1",
                                "--etcd-endpoints=" + etcd.endpoint(),
                                "--holder=" + directory.resolve("holder"),
                                "--directory=" + directory.resolve(name),
                                "--memory-cache=16M",
                                "--metrics-port=0"));
        if (Arrays.stream(more).noneMatch(option -> option.startsWith(CACHE))) {
            arguments.add(CACHE + directory.resolve("cache"));
        }
        arguments.addAll(Arrays.asList(more));
        return program(name, Program.POD, List.of("-Xmx128m", QUICK), arguments);
    }

    /** Starts a pod and waits until it serves. */
    Running serving(Running holder, String name, String... more) throws IOException {
        Running pod = pod(name, more);
        holder.await(serves(pod));
        return pod;
    }

    /** Starts a pod and waits until it is prepared to take over. */
    Running standby(Running holder, String name, String... more) throws IOException {
        Running pod = pod(name, more);
        pod.await("connected to holder");
        assertThat(holder.printed()).doesNotContain(serves(pod));
        return pod;
    }

    static String serves(Running pod) {
        return "Process %d serves".formatted(pod.process.pid());
    }

    /** Starts readers that read in each of these ways. */
    List<Running> readers(long seed, Set<CheckingReader.Way> ways) throws IOException {
        List<Running> readers = readers(directory, root(), seed, ways, List.of());
        started.addAll(readers);
        return readers;
    }

    /**
     * Starts readers that read in each of these ways.
     *
     * @param wrapper the start of their command line
     */
    static List<Running> readers(
            Path directory,
            Path root,
            long seed,
            Set<CheckingReader.Way> ways,
            List<String> wrapper)
            throws IOException {
        Set<CheckingReader.Way> mapped = EnumSet.of(CheckingReader.Way.MAPPED);
        Set<CheckingReader.Way> others = EnumSet.complementOf(EnumSet.copyOf(mapped));
        List<Running> readers = new ArrayList<>();
        for (Set<CheckingReader.Way> together : List.of(mapped, others)) {
            String names =
                    together.stream()
                            .filter(ways::contains)
                            .map(Enum::name)
                            .collect(Collectors.joining(","));
            if (names.isEmpty()) {
                continue;
            }
            List<String> command = new ArrayList<>(wrapper);
            command.addAll(
                    List.of(
                            JAVA,
                            "--enable-native-access=ALL-UNNAMED",
                            "-XX:+UseSerialGC",
                            QUICK,
                            "-Xmx192m",
                            "-cp",
                            System.getProperty("java.class.path"),
                            CheckingReader.class.getName(),
                            names,
                            root.toString(),
                            Long.toString(seed),
                            Integer.toString(READER_PAUSE_MILLIS)));
            readers.add(start(directory, "reader", command));
        }
        readers.forEach(reader -> reader.await("READING"));
        return readers;
    }

    /** Returns how many operations readers report in each way. */
    static Map<CheckingReader.Way, Long> operations(List<Running> readers) {
        Map<CheckingReader.Way, Long> operations = new EnumMap<>(CheckingReader.Way.class);
        for (Running reader : readers) {
            String printed = reader.printed();
            // A reader may have printed only a part of its last line yet.
            String whole = printed.substring(0, printed.lastIndexOf('\n') + 1);
            for (String line : whole.lines().toList()) {
                String[] words = line.split(" ", -1);
                if (words[0].equals("DONE") && words.length == 3) {
                    operations.put(CheckingReader.Way.valueOf(words[1]), Long.parseLong(words[2]));
                }
            }
        }
        return operations;
    }

    /** The observations of readers. */
    record Seen(long operations, List<String> complaints, List<long[]> slow) {

        /** An operation that begins this soon after an event counts as affected by it. */
        static final Duration COUNTED = Duration.ofMillis(200);

        /**
         * Returns the longest operation in microseconds, without these times. On a busy machine an
         * operation may overlap several of them, because the server in between has no time to
         * answer it.
         */
        long longestBesides(List<long[]> times) {
            return slow.stream()
                    .mapToLong(
                            op ->
                                    op[1]
                                            - op[0]
                                            - times.stream()
                                                    .mapToLong(time -> common(op, time))
                                                    .sum())
                    .max()
                    .orElse(0);
        }

        private static long common(long[] one, long[] other) {
            return Math.max(0, Math.min(one[1], other[1]) - Math.max(one[0], other[0]));
        }

        /**
         * Returns the longest wait of an affected operation for each event, in microseconds,
         * sorted.
         */
        LongStream pauses(List<Long> times) {
            return times.stream()
                    .mapToLong(
                            time ->
                                    slow.stream()
                                            .filter(
                                                    op ->
                                                            op[0] < time + COUNTED.toNanos() / 1000
                                                                    && op[1] > time)
                                            .mapToLong(op -> op[1] - Math.max(op[0], time))
                                            .max()
                                            .orElse(0))
                    .sorted();
        }
    }

    /** Ends readers. */
    static Seen end(List<Running> readers) throws Exception {
        for (Running reader : readers) {
            reader.process.getOutputStream().close();
        }
        long operations = 0;
        List<String> complaints = new ArrayList<>();
        List<long[]> slow = new ArrayList<>();
        for (Running reader : readers) {
            if (!reader.process.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
                complaints.add("a reader hangs");
            }
            for (String line : reader.printed().split("\n", -1)) {
                String[] words = line.split(" ", -1);
                switch (words[0]) {
                    case "SLOW" ->
                            slow.add(
                                    new long[] {
                                        Long.parseLong(words[1]), Long.parseLong(words[2])
                                    });
                    case "READ" -> operations += Long.parseLong(words[1]);
                    case "READING", "DONE", "" -> {}
                    default -> complaints.add(line);
                }
            }
        }
        return new Seen(operations, complaints, slow);
    }

    /**
     * Ends all started processes. All are killed before one is awaited: a process in a system call
     * on the mount only ends when its holder does.
     */
    void endProcesses() {
        started.forEach(running -> running.process.destroyForcibly());
        started.forEach(running -> running.process.onExit().join());
        started.clear();
    }

    @Override
    public void close() throws IOException {
        endProcesses();
        while (mounted()) {
            new ProcessBuilder("umount", "-l", mountpoint.toString()).start().onExit().join();
        }
        region.close();
        worker.close();
        etcd.close();
    }
}
