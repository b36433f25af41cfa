package dev.forebay.devstack.tool;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Finds or obtains tools. The sources are, in this order: a suitable program on PATH, the cache, a
 * package registry. Thread-safe.
 */
public final class Toolbox {
    private static final List<Path> LIBRARY_DIRECTORIES =
            List.of(
                    Path.of("/lib/x86_64-linux-gnu"),
                    Path.of("/usr/lib/x86_64-linux-gnu"),
                    Path.of("/lib/aarch64-linux-gnu"),
                    Path.of("/usr/lib/aarch64-linux-gnu"),
                    Path.of("/lib64"),
                    Path.of("/usr/lib64"),
                    Path.of("/usr/lib"),
                    Path.of("/usr/local/lib"));
    private static final Path DEBIAN_POSTGRES = Path.of("/usr/lib/postgresql");

    private final Machine machine;
    private final ToolCache cache;

    public Toolbox(Machine machine, Progress progress) {
        this.machine = machine;
        this.cache = new ToolCache(machine, progress);
    }

    /** Returns the toolbox of this machine, which reports to standard error. */
    @SuppressWarnings("SystemOut")
    public static Toolbox ofThisMachine() {
        return new Toolbox(
                Machine.current(),
                Progress.lines(line -> System.err.println("[devstack] " + line)));
    }

    /** Returns the program {@code etcd}. */
    public Path etcd() {
        return program(Tool.ETCD);
    }

    /** Returns the program {@code etcdctl}. */
    public Path etcdctl() {
        return program(Tool.ETCDCTL);
    }

    /** Returns the program {@code etcdutl}. */
    public Path etcdutl() {
        return program(Tool.ETCDUTL);
    }

    /** Returns the program {@code temporal}. */
    public Path temporal() {
        return program(Tool.TEMPORAL);
    }

    /** Returns the program {@code versitygw}. */
    public Path versitygw() {
        return program(Tool.VERSITYGW);
    }

    /** Returns the directory of PostgreSQL's programs: {@code initdb}, {@code postgres}. */
    public Path postgres() {
        return installedPostgres().orElseGet(() -> cached(Tool.POSTGRES).resolve("bin"));
    }

    private Optional<Path> installedPostgres() {
        return Stream.concat(machine.programs("postgres"), debianPostgres())
                .filter(program -> suits(Tool.POSTGRES, program))
                .map(Path::getParent)
                .filter(directory -> Files.isExecutable(directory.resolve("initdb")))
                .findFirst();
    }

    /** Returns the directory of PostgreSQL's programs {@code pg_dump} and {@code pg_restore}. */
    public Path postgresClients() {
        try {
            // A program on PATH may be a link into a directory that has all of them.
            Path own = postgres().resolve("postgres").toRealPath().resolveSibling("pg_restore");
            return Files.isExecutable(own) ? own.resolveSibling("") : cached(Tool.POSTGRES_CLIENTS);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Returns the directory of {@code libfuse.so.2}. Empty if the system's linker finds the
     * library.
     */
    public Optional<Path> libfuse2() {
        return isLibfuse2Installed() ? Optional.empty() : Optional.of(cached(Tool.LIBFUSE2));
    }

    private static boolean isLibfuse2Installed() {
        return LIBRARY_DIRECTORIES.stream()
                .anyMatch(path -> Files.exists(path.resolve(Tool.LIBFUSE2.file())));
    }

    /** Returns the directory of the programs {@code fsck.erofs} and {@code dump.erofs}. */
    public Path erofsUtils() {
        return machine.programs(Tool.EROFS_UTILS.file())
                .map(Path::getParent)
                .filter(directory -> Files.isExecutable(directory.resolve("dump.erofs")))
                .findFirst()
                .orElseGet(() -> cached(Tool.EROFS_UTILS));
    }

    /** Returns the program {@code mkfs.btrfs}. */
    public Path mkfsBtrfs() {
        String name = Tool.BTRFS_PROGS.file();
        return machine.programs(name)
                .findFirst()
                .orElseGet(() -> cached(Tool.BTRFS_PROGS).resolve(name));
    }

    /** Returns the program {@code fio}. */
    public Path fio() {
        return program(Tool.FIO);
    }

    /**
     * Returns the library {@code libfaketime.so.1}. A program that loads it before the C library
     * has another clock.
     */
    public Path libfaketime() {
        return cached(Tool.LIBFAKETIME).resolve(Tool.LIBFAKETIME.file());
    }

    /** Returns the program {@code chromium-headless-shell}, which is Chromium without a window. */
    public Path chromium() {
        return program(Tool.CHROMIUM);
    }

    /** Returns the program {@code helm}. */
    public Path helm() {
        return program(Tool.HELM);
    }

    /** Returns the program {@code promtool}. */
    public Path promtool() {
        return program(Tool.PROMTOOL);
    }

    /** Returns the program {@code prometheus}. */
    public Path prometheus() {
        return program(Tool.PROMETHEUS);
    }

    /** Returns the program {@code csi-sanity}. */
    public Path csiSanity() {
        return program(Tool.CSI_SANITY);
    }

    /**
     * Returns the directory of the programs {@code kube-apiserver}, {@code kube-controller-manager}
     * and {@code kube-scheduler}.
     */
    public Path kubernetes() {
        return cached(Tool.KUBERNETES);
    }

    /** Returns the program {@code kwok}. */
    public Path kwok() {
        return program(Tool.KWOK);
    }

    /** Returns the directory of the program {@code kueue}, and of its CRDs, {@code crds}. */
    public Path kueue() {
        return cached(Tool.KUEUE);
    }

    /** Returns the program {@code rclone}. Its PATH must contain {@link #fusermount3}. */
    public Path rclone() {
        return program(Tool.RCLONE);
    }

    /** Returns the program {@code fusermount3}. */
    public Path fusermount3() {
        return program(Tool.FUSERMOUNT3);
    }

    /** Returns the program {@code s3fs}, which needs {@link #libfuse2}. */
    public Path s3fs() {
        return program(Tool.S3FS);
    }

    /** Returns the program {@code s5cmd}. */
    public Path s5cmd() {
        return program(Tool.S5CMD);
    }

    /** Returns the program {@code nginx}. */
    public Path nginx() {
        return program(Tool.NGINX);
    }

    /**
     * Obtains all missing tools that Forebay itself needs.
     *
     * @return each tool by name, and where it is
     */
    public Map<String, Path> all() {
        Map<String, Path> all = new LinkedHashMap<>();
        all.put(Tool.ETCD.name(), etcd());
        all.put(Tool.VERSITYGW.name(), versitygw());
        all.put(Tool.TEMPORAL.name(), temporal());
        all.put(Tool.POSTGRES.name(), postgres());
        libfuse2().ifPresent(path -> all.put(Tool.LIBFUSE2.name(), path));
        all.put(Tool.EROFS_UTILS.name(), erofsUtils());
        all.put(Tool.BTRFS_PROGS.name(), mkfsBtrfs());
        return all;
    }

    /**
     * Obtains missing tools that Go builds for the tests of every change, because a test cannot
     * wait for a build. Other tools come from Debian in seconds, when a test needs them.
     *
     * @return each tool by name, and where it is
     */
    public Map<String, Path> builtForTests() {
        Map<String, Path> all = new LinkedHashMap<>();
        all.put(Tool.ETCDCTL.name(), etcdctl());
        all.put(Tool.ETCDUTL.name(), etcdutl());
        all.put(Tool.HELM.name(), helm());
        all.put(Tool.CSI_SANITY.name(), csiSanity());
        all.put(Tool.KWOK.name(), kwok());
        all.put(Tool.KUBERNETES.name(), kubernetes());
        return all;
    }

    /** Returns whether a tool would have to be obtained. */
    boolean lacks(Tool tool) {
        if (cache.find(tool).isPresent()) {
            return false;
        }
        if (tool.equals(Tool.LIBFUSE2)) {
            return !isLibfuse2Installed();
        }
        if (tool.equals(Tool.POSTGRES)) {
            return installedPostgres().isEmpty();
        }
        return suitable(tool).isEmpty();
    }

    Path program(Tool tool) {
        return suitable(tool).orElseGet(() -> cached(tool).resolve(tool.file()));
    }

    private Optional<Path> suitable(Tool tool) {
        return machine.programs(tool.file()).filter(program -> suits(tool, program)).findFirst();
    }

    void obtain(Tool tool) {
        cache.obtain(tool);
    }

    private Path cached(Tool tool) {
        return cache.find(tool).orElseGet(() -> cache.obtain(tool));
    }

    private static boolean suits(Tool tool, Path program) {
        return tool.versionPattern().matcher(Command.version(program)).find();
    }

    /**
     * Returns the installations of Debian, the newest first. Debian keeps them off PATH, by major
     * version.
     */
    private static Stream<Path> debianPostgres() {
        if (!Files.isDirectory(DEBIAN_POSTGRES)) {
            return Stream.empty();
        }
        try (Stream<Path> versions = Files.list(DEBIAN_POSTGRES)) {
            return versions
                    .map(version -> version.resolve("bin").resolve("postgres"))
                    .filter(Files::isExecutable)
                    .sorted(Comparator.reverseOrder())
                    .toList()
                    .stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
