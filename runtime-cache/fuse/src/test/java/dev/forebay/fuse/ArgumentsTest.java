package dev.forebay.fuse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.fuse.options.PodOptions;
import dev.forebay.fuse.options.TransportChoice;
import dev.forebay.fuse.options.ViewChoice;
import dev.forebay.fuse.view.ImageDevices;
import dev.forebay.fuse.view.View;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Checks the messages about wrong arguments: each one names option and rule. */
class ArgumentsTest {

    @TempDir private Path directory;

    /** Accepts connections and never answers. */
    private ServerSocket etcd;

    private Path mountpoint;

    @BeforeEach
    void start() throws IOException {
        mountpoint = Files.createDirectory(directory.resolve("mnt"));
        etcd = new ServerSocket(0, 16, InetAddress.getLoopbackAddress());
    }

    @AfterEach
    void stop() throws IOException {
        etcd.close();
    }

    private String etcdOption() {
        return "--etcd-endpoints=http://127.0.0.1:" + etcd.getLocalPort();
    }

    /** Returns the message of a program that refuses to start. */
    private static String refusal(Object program, String... arguments) {
        StringWriter said = new StringWriter();
        CommandLine commandLine = Arguments.of(program);
        commandLine.setErr(new PrintWriter(said, true));
        assertThat(commandLine.execute(arguments)).isEqualTo(CommandLine.ExitCode.USAGE);
        return said.toString();
    }

    /** Returns the refusal of a pod with the required options and these. */
    private String podRefuses(String... more) {
        List<String> arguments = new ArrayList<>();
        arguments.add("--region=r1");
        arguments.add(etcdOption());
        arguments.add("--directory=" + directory.resolve("pod"));
        arguments.addAll(Arrays.asList(more));
        return refusal(new ForebayFuse(), arguments.toArray(String[]::new));
    }

    private String mountedPodRefuses(String... more) {
        List<String> arguments = new ArrayList<>(List.of("--mountpoint=" + mountpoint));
        arguments.addAll(Arrays.asList(more));
        return podRefuses(arguments.toArray(String[]::new));
    }

    @Test
    void theMessageNamesAnUnknownOptionEvenIfRequiredOnesAreMissing() {
        assertThat(refusal(new ForebayFuse(), "--nonsense"))
                .contains("Unknown option: '--nonsense'");
        assertThat(refusal(new ForebayFuse(), "--regoin=r1")).contains("--region");
        assertThat(refusal(new ForebayFuse())).contains("Missing required option", "--region");
    }

    @Test
    void theMessageEndsWithAHintAtHelpInsteadOfTheUsage() {
        assertThat(mountedPodRefuses("--prewarm-rate=-5").lines().toList())
                .hasSizeLessThan(4)
                .last()
                .isEqualTo("See 'forebay-fuse --help'.");
        assertThat(refusal(new Hold(), "--nonsense")).contains("See 'forebay-fuse hold --help'.");
    }

    @Test
    void theMessageAboutAnInvalidRegionNamesTheOption() {
        assertThat(
                        refusal(
                                new ForebayFuse(),
                                "--region=A B",
                                etcdOption(),
                                "--directory=" + directory))
                .contains("'--region'", "'A B' must be 1 to 63 characters");
    }

    @Test
    void aPodRefusesOptionsThatCannotWorkAndGivesTheReason() throws IOException {
        Path missing = mountpoint.resolve("missing");
        assertThat(podRefuses("--mountpoint=" + missing)).contains(missing + " does not exist");
        Path full = Files.createDirectory(mountpoint.resolve("full"));
        Path file = Files.createFile(full.resolve("file"));
        assertThat(podRefuses("--mountpoint=" + full)).contains("is not empty");
        assertThat(podRefuses("--mountpoint=" + file)).contains("is not a directory");
        assertThat(mountedPodRefuses("--holder=" + full))
                .contains("to serve a mount of 'forebay-fuse hold', not both");
        assertThat(mountedPodRefuses("--memory-cache=12X")).contains("'12X' is not a size");
        assertThat(mountedPodRefuses("--memory-cache=99999999T"))
                .contains("'99999999T' is more than 8E");
        assertThat(mountedPodRefuses("--metrics-port=99999"))
                .contains("--metrics-port is 99999; it must be from 0 to 65535");
        assertThat(mountedPodRefuses("--attribute-cache=-5")).contains("--attribute-cache is -5");
        assertThat(mountedPodRefuses("--view=native", "--pack-cache=0"))
                .contains("--view native needs");
        assertThat(mountedPodRefuses("--view=native", "--strict=true"))
                .contains("--view native needs");
        assertThat(refusalBelow(mountpoint)).contains("must not be below --mountpoint");
        Path link = Files.createSymbolicLink(directory.resolve("link"), mountpoint);
        assertThat(refusalBelow(link.resolve("pod"))).contains("must not be below --mountpoint");
        assertThat(refusal(new ForebayFuse(), "--region=R!"))
                .contains("option '--region': region 'R!'");
        assertThat(
                        refusal(
                                new ForebayFuse(),
                                "--region=r1",
                                "--etcd-endpoints=nonsense",
                                "--directory=" + directory.resolve("pod"),
                                "--mountpoint=" + mountpoint))
                .contains("--etcd-endpoints must be");
    }

    /** Returns the refusal of a pod whose directory exists. */
    private String refusalBelow(Path own) {
        return refusal(
                new ForebayFuse(),
                "--region=r1",
                etcdOption(),
                "--directory=" + own,
                "--mountpoint=" + mountpoint);
    }

    @Test
    void aPodRefusesNodeOptionsOutsideTheirLimits() {
        assertThat(mountedPodRefuses("--node-name=GPU 1"))
                .contains("'--node-name'", "'GPU 1' must be 1 to 253 characters");
        assertThat(mountedPodRefuses("--node-versions=257"))
                .contains("--node-versions is 257; it must be from 1 to 256");
        assertThat(mountedPodRefuses("--node-interval=0"))
                .contains("--node-interval is 0; it must be from 1 to 3600");
    }

    @Test
    void aPodRefusesTlsFilesWithoutHttpsAndAKeyWithoutACertificate() {
        assertThat(mountedPodRefuses("--etcd-tls-ca=ca.crt"))
                .contains("--etcd-tls-ca", "must not be given", "http:");
        assertThat(mountedPodRefuses("--etcd-tls-key=tls.key"))
                .contains("--etcd-tls-certificate and --etcd-tls-key must be set together");
    }

    @Test
    void theMessageListsChoicesAsTheyAreTyped() {
        assertThat(mountedPodRefuses("--view=best"))
                .contains("'--view'", "'best' is none of auto, native, on-demand, portable\n");
        assertThat(mountedPodRefuses("--transport=x"))
                .contains("'--transport'", "'x' is none of auto, kernel, jnr\n");
        assertThat(mountedPodRefuses("--image-devices=files,x"))
                .contains("'--image-devices'", "'x' is none of files, loops\n");
    }

    @Test
    void choicesMayHaveAnyCaseAndDashesOrUnderscores() {
        PodOptions options = new PodOptions();
        Arguments.of(options)
                .parseArgs(
                        "--region=r1",
                        etcdOption(),
                        "--directory=d",
                        "--view=On_Demand",
                        "--transport=JNR",
                        "--image-devices=loops,Files");

        assertThat(options.view).isEqualTo(ViewChoice.ON_DEMAND);
        assertThat(options.transport).isEqualTo(TransportChoice.JNR);
        assertThat(options.imageDevices())
                .as("libfuse 2 would show failed reads as zeros")
                .containsExactly(ImageDevices.LOOPS);
        options.transport = TransportChoice.KERNEL;
        assertThat(options.imageDevices()).containsExactly(ImageDevices.LOOPS, ImageDevices.FILES);
    }

    @Test
    void unescapedCommasSeparateDirectories() {
        PodOptions options = new PodOptions();
        Arguments.of(options)
                .parseArgs(
                        "--region=r1",
                        etcdOption(),
                        "--directory=d",
                        "--worker-store=/my disk/50%,/a\\,b");

        assertThat(options.workerStores).containsExactly(Path.of("/my disk/50%"), Path.of("/a,b"));
    }

    @Test
    void imagesMountedFromFilesRequireTheKernelTransport() {
        PodOptions options = new PodOptions();
        options.transport = TransportChoice.AUTO;
        for (View view : List.of(View.NATIVE, View.ON_DEMAND)) {
            assertThat(options.transport(new ViewChoice.Found(view, ImageDevices.FILES)))
                    .isEqualTo(TransportChoice.KERNEL);
            assertThat(options.transport(new ViewChoice.Found(view, ImageDevices.LOOPS)))
                    .isEqualTo(TransportChoice.AUTO);
        }
        assertThat(options.transport(new ViewChoice.Found(View.PORTABLE, ImageDevices.FILES)))
                .isEqualTo(TransportChoice.AUTO);
    }

    @Test
    void aPodRequiresEitherAMountpointOrAHolder() {
        assertThat(podRefuses())
                .contains("neither --mountpoint nor --holder is given", "give --mountpoint to");
        assertThat(podRefuses("--mountpoint=one", "--holder=other"))
                .contains("--mountpoint is one and --holder is other", "not both");
    }

    /** Libfuse makes its own mount, which would end with the pod. */
    @Test
    void libfuseCannotServeAHeldMount() {
        assertThat(podRefuses("--holder=other", "--transport=jnr"))
                .contains(
                        "--holder is other and --transport is jnr",
                        "only the transport kernel can serve");
    }

    @Test
    void podAndHolderRefuseDirectoriesBelowTheMountpoint() {
        String below = mountpoint.resolve("kept").toString();
        assertThat(mountedPodRefuses("--cache-directory=" + below))
                .contains("--cache-directory is " + below, "must not be below --mountpoint");
        assertThat(refusal(new Hold(), "--holder=" + below, "--mountpoint=" + mountpoint))
                .contains("--holder is " + below, "must not be below --mountpoint");
        assertThat(Path.of(below)).doesNotExist();
    }

    @Test
    void podAndHolderRefuseAHolderDirectoryThatOthersCanWrite() throws Exception {
        Path shared = Files.createDirectory(directory.resolve("shared"));
        Files.setPosixFilePermissions(shared, PosixFilePermissions.fromString("rwxrwxrwx"));
        assertThat(refusal(new Hold(), "--holder=" + shared, "--mountpoint=" + mountpoint))
                .contains("--holder: " + shared + " has rwxrwxrwx");
        assertThat(podRefuses("--holder=" + shared))
                .contains("--holder: " + shared + " has rwxrwxrwx");
        assertThat(shared).isEmptyDirectory();
    }

    @Test
    void aPodReportsProblemsOfTheNodeBeforeItConnectsToEtcd() throws Exception {
        Path none = directory.resolve("none");
        assertThat(mountedPodRefuses("--metrics-port=0", "--token-file=" + none))
                .contains("--token-file: cannot read " + none);
        Path nonsense = Files.writeString(directory.resolve("ca"), "nonsense");
        assertThat(mountedPodRefuses("--metrics-port=0", "--worker-ca=" + nonsense))
                .contains("--worker-ca is " + nonsense, "certificates of authorities in PEM");
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThat(mountedPodRefuses("--metrics-port=" + taken.getLocalPort()))
                    .contains("--metrics-port: cannot listen on");
        }

        etcd.setSoTimeout(1);
        assertThatThrownBy(etcd::accept).isInstanceOf(SocketTimeoutException.class);
    }

    private String driverRefuses(String... more) {
        List<String> arguments = new ArrayList<>(List.of("--mountpoint=" + mountpoint));
        arguments.addAll(Arrays.asList(more));
        if (arguments.stream().noneMatch(option -> option.startsWith("--node"))) {
            arguments.add("--node=n1");
        }
        return refusal(new Csi(), arguments.toArray(String[]::new));
    }

    @Test
    void theCsiDriverRefusesSocketsThatItCannotUse() throws Exception {
        Path socket = directory.resolve("csi.sock");
        assertThat(driverRefuses()).contains("Missing required option", "--socket");
        assertThat(driverRefuses("--socket=" + mountpoint.resolve("csi.sock")))
                .contains("--socket is", "must not be below --mountpoint");
        assertThat(driverRefuses("--socket=" + directory.resolve("x".repeat(107))))
                .contains("--socket is", "at most 107 bytes");
        assertThat(driverRefuses("--socket=" + directory.resolve("none/csi.sock")))
                .contains("--socket: cannot listen on " + directory.resolve("none/csi.sock"));
        Files.writeString(socket, "of somebody");
        assertThat(driverRefuses("--socket=" + socket)).contains("exists and is not a socket");
        assertThat(socket).hasContent("of somebody");
    }

    @Test
    void theCsiDriverRefusesOptionsOutsideTheirLimits() {
        String socket = "--socket=" + directory.resolve("csi.sock");
        assertThat(driverRefuses(socket, "--calls=0"))
                .contains("--calls is 0; it must be from 1 to 1024");
        assertThat(driverRefuses(socket, "--timeout=0"))
                .contains("--timeout is 0; it must be from 1 to 3600");
        assertThat(driverRefuses(socket, "--image-timeout=-1"))
                .contains("--image-timeout is -1; it must be from 0 to 3600");
        assertThat(driverRefuses(socket, "--drain=-1"))
                .contains("--drain is -1; it must be from 0 to 3600");
        assertThat(driverRefuses(socket, "--node=" + "n".repeat(257)))
                .contains("--node is", "it must have 1 to 256 bytes");
    }
}
