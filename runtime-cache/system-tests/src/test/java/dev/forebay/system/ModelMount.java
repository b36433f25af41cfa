package dev.forebay.system;

import dev.forebay.devstack.program.JavaCommand;
import dev.forebay.devstack.program.Program;
import dev.forebay.devstack.server.Launch;
import dev.forebay.devstack.server.Ports;
import dev.forebay.devstack.server.Readiness;
import dev.forebay.devstack.server.ServerProcess;
import dev.forebay.devstack.tool.Toolbox;
import dev.forebay.model.DatasetVersion;
import java.io.IOException;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A mount of the model's region, by a pod alone or by a holder and a serving pod. Beside a holder,
 * a second pod stands by from the moment when a test needs it.
 */
final class ModelMount implements AutoCloseable {

    private static final Path JAR = Path.of("../fuse/target/forebay-fuse/forebay-fuse.jar");
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final int FLIPPED_BITS = 100;

    /** Moves files by up to half a MiB. */
    private static final int MOVED_BITS = 20;

    private static final String STANDS_BY = "connected to holder";
    private static final String HELD = "is held";

    private final ModelRegion region;
    private final ModelSetup setup;
    private final Path directory;
    private final Path mountpoint;
    private final List<String> options;
    private final @Nullable ServerProcess holder;
    private ServerProcess serving;
    private @Nullable ServerProcess standby;

    /**
     * Mounts the region.
     *
     * @param more further options of its pods, after those of the setup
     */
    ModelMount(ModelRegion region, ModelSetup setup, String... more) throws IOException {
        this(region, setup, region.newDirectory(setup.name()), more);
    }

    /**
     * Mounts the region.
     *
     * @param directory for all files of its processes; a test may have mounted a disk in it
     */
    ModelMount(ModelRegion region, ModelSetup setup, Path directory, String... more)
            throws IOException {
        this.region = region;
        this.setup = setup;
        this.directory = directory;
        options = List.of(more);
        mountpoint = Files.createDirectories(directory.resolve("mnt")).toAbsolutePath();
        if (setup.held()) {
            ServerProcess keeper = startHolder();
            holder = keeper;
            serving = startPod("pod-0", pod -> says(keeper.log(), serves(pod)));
        } else {
            holder = null;
            serving = startPod("pod-0", pod -> true);
        }
    }

    Path mountpoint() {
        return mountpoint;
    }

    ModelSetup setup() {
        return setup;
    }

    /** Returns the pod that serves. */
    ServerProcess pod() {
        return serving;
    }

    /** Returns the standby pod. The first call starts it. */
    ServerProcess standby() {
        ServerProcess pod = standby;
        if (pod == null) {
            pod = startPod("pod-1", _ -> true);
            standby = pod;
        }
        return pod;
    }

    /** Returns its processes by name. */
    Map<String, Long> processes() {
        Map<String, Long> processes = new TreeMap<>();
        processes.put("pod", serving.pid());
        if (holder != null) {
            processes.put("standby", standby().pid());
            processes.put("holder", holder.pid());
        }
        return processes;
    }

    private static boolean says(Path log, String text) throws IOException {
        return Files.exists(log) && Files.readString(log).contains(text);
    }

    private static long count(Path log, String text) throws IOException {
        return Files.exists(log)
                ? Files.readString(log).split(Pattern.quote(text), -1).length - 1
                : 0;
    }

    private static String serves(ServerProcess pod) {
        return "Process %d serves".formatted(pod.pid());
    }

    private ServerProcess startHolder() {
        List<String> command =
                JavaCommand.of(Program.HOLDER, JAR)
                        .withoutSecondCompiler()
                        .options("-Xmx32m")
                        .build();
        command.add("hold");
        command.addAll(List.of("--holder", directory.resolve("holder").toString()));
        command.addAll(List.of("--mountpoint", mountpoint.toString()));
        return start("holder", command, HELD);
    }

    @FunctionalInterface
    private interface Condition {
        boolean holds(ServerProcess pod) throws IOException;
    }

    private ServerProcess startPod(String name, Condition serving) {
        JavaCommand java =
                JavaCommand.of(Program.POD, JAR).withoutSecondCompiler().options("-Xmx128m");
        Toolbox.ofThisMachine()
                .libfuse2()
                .ifPresent(path -> java.options("-Djnr.ffi.library.path=" + path));
        List<String> command = java.build();
        command.add("--region=" + ModelRegion.NAME);
        command.add("--etcd-endpoints=" + region.etcd.endpoint());
        if (setup.held()) {
            command.add("--holder=" + directory.resolve("holder"));
            command.add("--cache-directory=" + cache());
        } else {
            command.add("--mountpoint=" + mountpoint);
        }
        command.add("--directory=" + directory.resolve(name));
        command.add("--memory-cache=16M");
        // Makes periodic work, which normally runs every hour, run during the reads.
        command.addAll(List.of("--scrub-rate=64M", "--scrub-pause=1", "--sweep-delay=1"));
        command.addAll(setup.options());
        command.addAll(options);
        ServerProcess started;
        if (setup.held()) {
            command.add("--metrics-port=0");
            started = start(name, command, STANDS_BY);
        } else {
            URI address = URI.create("http://127.0.0.1:" + Ports.free());
            command.add("--metrics-port=" + address.getPort());
            started =
                    ServerProcess.start(
                            launch(name, command, Readiness.ok(address.resolve("/health/ready"))));
        }
        ServerProcess pod = started;
        Await.until(name + " serves", TIMEOUT, () -> serving.holds(pod));
        return pod;
    }

    /**
     * Starts a process. Each time it starts, it is ready when its log has one more line with this
     * text.
     */
    private ServerProcess start(String name, List<String> command, String ready) {
        Path log = directory.resolve(name + ".log");
        long[] said = {0};
        return ServerProcess.start(
                launch(
                        name,
                        command,
                        () -> {
                            long now = count(log, ready);
                            boolean more = now > said[0];
                            said[0] = now;
                            return more;
                        }));
    }

    private Launch launch(String name, List<String> command, Readiness ready) {
        return Launch.of(name, directory, command, Map.of(), ready, Launch.Lifetime.THIS_JVM);
    }

    /** Returns the directory where pods of a held mount keep packs and images. */
    private Path cache() {
        return directory.resolve("cache");
    }

    /** Returns the directory where the serving pod keeps packs. */
    Path packs() {
        Path kept = setup.held() ? cache() : directory.resolve(serving.name());
        return kept.resolve("packs");
    }

    /** Returns whether a version of the model can be read. */
    boolean reads(ModelVersion version) throws IOException {
        Path file = version.path(mountpoint, "a/b/c/deep");
        return Files.readAllBytes(file).length > 0;
    }

    /** Waits until all earlier mounts and unmounts are visible here. */
    void awaitNews() {
        region.underAnotherName(
                name ->
                        Await.until(
                                name + " is there",
                                TIMEOUT,
                                () -> Files.exists(mountpoint.resolve(name.path()))));
    }

    /** Returns whether a version is shown in the view of this setup. */
    boolean shows(DatasetVersion version) throws IOException {
        List<String> mounts = mounts(version);
        return switch (setup.shown()) {
            case BY_FUSE -> mounts.isEmpty();
            case BY_IMAGE -> !mounts.isEmpty();
            // The source is a second name of the image, in its own folder.
            case NATIVELY -> !mounts.isEmpty() && image(mounts.getLast()).contains("/native/");
        };
    }

    /** Returns the mounted file, also if it is behind a loop device. */
    private static String image(String mount) throws IOException {
        List<String> fields = List.of(mount.split(" "));
        Path source = Path.of(fields.get(fields.indexOf("-") + 2));
        return source.startsWith("/dev")
                ? Files.readString(
                        Path.of("/sys/block", source.getFileName().toString(), "loop/backing_file"))
                : source.toString();
    }

    /** Returns the device of the file system in which a version's files are opened. */
    String shownBy(DatasetVersion version) throws IOException {
        long device = (Long) Files.getAttribute(mountpoint.resolve(version.path()), "unix:dev");
        // See makedev(3).
        long major = ((device >>> 8) & 0xfff) | ((device >>> 32) & ~0xfffL);
        long minor = (device & 0xff) | ((device >>> 12) & 0xffff_ff00L);
        return major + ":" + minor;
    }

    /**
     * Returns the mountinfo lines of the file system that a version's files are opened in, if it is
     * mounted on its folder.
     */
    private List<String> mounts(DatasetVersion version) throws IOException {
        Path folder = mountpoint.resolve(version.path());
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        String at = " " + folder + " ";
        String device = " " + shownBy(version) + " ";
        return Files.readAllLines(Path.of("/proc/self/mountinfo")).stream()
                .filter(line -> line.contains(at) && line.contains(device))
                .toList();
    }

    /**
     * Kills the serving pod with SIGKILL. The standby takes over, and the killed pod becomes the
     * standby.
     */
    void killPod() {
        ServerProcess killed = serving;
        ServerProcess next = standby();
        killed.kill9();
        succeed(next, killed);
    }

    /** Sends SIGTERM to the serving pod. */
    void upgradePod() {
        ServerProcess stopped = serving;
        ServerProcess next = standby();
        stopped.close();
        succeed(next, stopped);
    }

    private void succeed(ServerProcess next, ServerProcess before) {
        Path log = Objects.requireNonNull(holder).log();
        Await.until("the next pod serves", TIMEOUT, () -> says(log, serves(next)));
        serving = next;
        before.restart();
        standby = before;
    }

    /**
     * Kills the holder with SIGKILL. The next holder gets the mount back, and the same pod
     * continues to serve.
     */
    void killHolder() throws IOException {
        ServerProcess held = Objects.requireNonNull(holder);
        ServerProcess served = serving;
        long before = count(held.log(), serves(served));
        held.kill9();
        held.restart();
        Await.until(
                "the pod that served serves on",
                TIMEOUT,
                () -> count(held.log(), serves(served)) > before);
    }

    /** Deletes or damages manifests of the standby pod while it is dead. It serves next. */
    void loseManifests(Random random) throws IOException {
        ServerProcess pod = manifestsAreThere();
        pod.kill9();
        for (ModelVersion version : ModelVersion.all()) {
            Path copy = manifest(pod, version);
            if (random.nextBoolean()) {
                Files.delete(copy);
            } else {
                FlippedBits.in(copy, FLIPPED_BITS, random);
            }
        }
        pod.restart();
        killPod();
    }

    /**
     * Damages manifests that the standby pod has already verified, so that they point to wrong
     * places. The pod serves next. Returns when it has fetched them again. Until then reads may
     * fail.
     */
    void damageManifests(Random random) throws SQLException {
        ServerProcess pod = manifestsAreThere();
        for (ModelVersion version : ModelVersion.all()) {
            moveFiles(manifest(pod, version), 1L << random.nextInt(MOVED_BITS));
        }
        killPod();
        Await.until(
                "damaged manifests are fetched again",
                TIMEOUT,
                () -> {
                    openSmallFiles();
                    return hasManifests(pod);
                });
    }

    private static void moveFiles(Path manifest, long bit) throws SQLException {
        try (Connection database = DriverManager.getConnection("jdbc:sqlite:" + manifest);
                Statement statement = database.createStatement()) {
            statement.execute("PRAGMA journal_mode = OFF");
            // SQLite has no XOR operator.
            statement.execute(
                    "UPDATE node SET pack_offset = (pack_offset | %1$d) - (pack_offset & %1$d) WHERE size > 0"
                            .formatted(bit));
        }
    }

    /** Opens each small file, for which the pod reads the manifest. */
    private void openSmallFiles() {
        for (ModelVersion version : ModelVersion.all()) {
            for (String file : version.files().keySet()) {
                if (file.startsWith(ModelVersion.SMALL)) {
                    try {
                        FileChannel.open(version.path(mountpoint, file)).close();
                    } catch (IOException damaged) {
                        // Expected: the manifest is damaged.
                    }
                }
            }
        }
    }

    /** Returns the standby pod once it has all manifests. */
    private ServerProcess manifestsAreThere() {
        ServerProcess pod = standby();
        Await.until(pod.name() + " has all manifests", TIMEOUT, () -> hasManifests(pod));
        return pod;
    }

    private boolean hasManifests(ServerProcess pod) throws IOException {
        for (ModelVersion version : ModelVersion.all()) {
            Path original = ModelRegion.manifest(region.directory, version);
            if (Files.mismatch(original, manifest(pod, version)) >= 0) {
                return false;
            }
        }
        return true;
    }

    private Path manifest(ServerProcess pod, ModelVersion version) {
        String digest = ModelRegion.digest(ModelRegion.manifest(region.directory, version)).hex();
        return directory.resolve(pod.name()).resolve("manifests").resolve(digest + ".sqlite");
    }

    @Override
    public void close() throws IOException {
        if (standby != null) {
            standby.kill9();
        }
        serving.close();
        if (holder != null) {
            holder.close();
        }
        while (Files.readString(Path.of("/proc/self/mountinfo")).contains(mountpoint + " ")) {
            new ProcessBuilder("umount", "-l", mountpoint.toString()).start().onExit().join();
        }
    }
}
