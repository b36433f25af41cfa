package dev.forebay.fuse;

import dev.forebay.fuse.hold.Holder;
import dev.forebay.fuse.hold.HolderLivenessCheck;
import dev.forebay.fuse.kernel.device.FuseDevice;
import dev.forebay.fuse.kernel.device.KernelMount;
import dev.forebay.fuse.linux.MountCalls;
import dev.forebay.fuse.options.Mountpoint;
import dev.forebay.fuse.options.PodOptions;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The program {@code forebay-fuse hold}: keeps a mount while its servers come and go. */
@Command(
        name = "forebay-fuse hold",
        mixinStandardHelpOptions = true,
        versionProvider = BuiltVersion.class,
        usageHelpAutoWidth = true,
        sortOptions = false,
        description = {
            "Mounts, and keeps the mount while processes that serve it start, end and fail: run",
            "one 'forebay-fuse --holder DIR ...', and a second one that stands by. Needs root",
            "and Linux 6.9, and hardly any memory: -Xmx32m will do.",
            "Each option can also be set by the environment variable that is named with it."
        })
@SuppressWarnings("NullAway.Init") // picocli sets the required ones or refuses to start
final class Hold implements Callable<Integer> {

    static final String NAME = "hold";

    /**
     * A directory in the holder's directory that exists while there is a mount, for processes that
     * may not access the mount.
     */
    static final String SIGN = "mounted";

    private static final Logger LOG = LoggerFactory.getLogger(Hold.class);

    /** The time in which a server that already serves the mount must report it. */
    private static final int HAND_IN_SECONDS = 10;

    private static final int MOST_SECONDS = 3600;

    @Option(
            names = "--holder",
            required = true,
            defaultValue = "${env:FOREBAY_FUSE_HOLDER}",
            paramLabel = "DIR",
            description =
                    "A directory, private to this user, through which the processes connect. "
                            + "Each holder needs its own. FOREBAY_FUSE_HOLDER")
    Path directory;

    @Option(
            names = "--mountpoint",
            required = true,
            defaultValue = "${env:FOREBAY_FUSE_MOUNTPOINT}",
            paramLabel = "DIR",
            description =
                    "An empty directory to mount on. Created if absent."
                            + " FOREBAY_FUSE_MOUNTPOINT")
    Path mountpoint;

    @Option(
            names = "--allow-other",
            negatable = true,
            fallbackValue = "true",
            defaultValue = "${env:FOREBAY_FUSE_ALLOW_OTHER:-true}",
            description =
                    "Let users other than this one read (default: true). FOREBAY_FUSE_ALLOW_OTHER")
    boolean allowOther;

    @Option(
            names = "--unmount",
            negatable = true,
            fallbackValue = "true",
            defaultValue = "${env:FOREBAY_FUSE_UNMOUNT:-true}",
            description =
                    "Unmount on SIGTERM and SIGINT (default: true). Otherwise the serving process "
                            + "keeps the mount for the next holder. FOREBAY_FUSE_UNMOUNT")
    boolean unmount;

    @Option(
            names = "--drain",
            defaultValue = "${env:FOREBAY_FUSE_DRAIN:-10}",
            paramLabel = "SECONDS",
            description =
                    "Time that a holder with --no-unmount waits after SIGTERM or SIGINT, in "
                            + "seconds (default: 10). It unmounts anyway if all serving processes "
                            + "end within this time. FOREBAY_FUSE_DRAIN")
    int drain;

    @Option(
            names = "--replace-after",
            defaultValue = "${env:FOREBAY_FUSE_REPLACE_AFTER:-10}",
            paramLabel = "SECONDS",
            description =
                    "Time without an answer of the serving process after which a standby process "
                            + "replaces it, in seconds (default: 10). 0: no limit. "
                            + "FOREBAY_FUSE_REPLACE_AFTER")
    int replaceAfter;

    @Mixin private HealthOptions health = new HealthOptions();

    @Override
    public Integer call() throws Exception {
        if (replaceAfter < 0) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "--replace-after is %d; it must not be negative".formatted(replaceAfter));
        }
        PodOptions.requireWithin("--drain", drain, 0, MOST_SECONDS);
        PodOptions.requireOutsideOfMount("--holder", directory, mountpoint);
        mountpoint = Mountpoint.resolved(mountpoint);
        Mountpoint.make(mountpoint);
        PrivateDirectory.make("--holder", directory);
        // Checked before servers connect: they may hand in a mount that is no longer visible.
        boolean isMounted = Mountpoint.isOurMount(mountpoint);
        try (AutoCloseable _ = PodDirectory.lock("--holder", directory);
                Holder holder =
                        Holder.listen(
                                directory,
                                Optional.of(mountpoint).filter(_ -> isMounted),
                                Duration.ofSeconds(replaceAfter))) {
            // Until it has a mount, it is live but not ready.
            health.serve(
                    () -> HolderLivenessCheck.of(directory, HealthOptions.TIMEOUT),
                    () ->
                            holder.held().isDone()
                                    && HolderLivenessCheck.of(directory, HealthOptions.TIMEOUT));
            takeBackOrMount(holder, isMounted);
            Files.createDirectories(directory.resolve(SIGN));
            Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(holder), "unmount"));
            System.out.printf("forebay-fuse: %s is held through %s%n", mountpoint, directory);
            holder.end().join();
            holder.close(true);
            return 0;
        }
    }

    private void takeBackOrMount(Holder holder, boolean isMounted)
            throws InterruptedException, IOException {
        if (isMounted && isHandedIn(holder)) {
            LOG.info("Recovered the mount at {}", mountpoint);
            return;
        }
        Files.deleteIfExists(directory.resolve(SIGN));
        Mountpoint.prepare(mountpoint);
        FuseDevice device = KernelMount.mount(mountpoint, allowOther);
        if (!device.protocol().resends()) {
            MountCalls.detach(mountpoint);
            throw tooOld(System.getProperty("os.version"), mountpoint);
        }
        // No request is pending: this only tests that the kernel supports a resend.
        device.resend();
        if (!holder.hold(device, mountpoint)) {
            MountCalls.detach(mountpoint);
            device.close();
            throw new ForebayException(
                    ErrorCode.UNAVAILABLE,
                    "the mount at %s did not answer, but another process serves it: start again"
                            .formatted(mountpoint));
        }
    }

    /** Returns the error for a kernel that lacks what a holder needs. */
    static ForebayException tooOld(String kernel, Path mountpoint) {
        return new ForebayException(
                ErrorCode.INVALID_ARGUMENT,
                "the kernel is Linux %s, but 'forebay-fuse hold' needs 6.9 or later: use 'forebay-fuse --mountpoint %s', whose mount ends with its process"
                        .formatted(kernel, mountpoint));
    }

    /** Waits for the server of a mount that is alive; returns false if the mount is dead. */
    private boolean isHandedIn(Holder holder) throws InterruptedException {
        CompletableFuture<Boolean> dead = new CompletableFuture<>();
        // In a separate thread, because an access blocks while no process serves a live mount.
        Thread.ofPlatform()
                .daemon()
                .name("probe")
                .start(
                        () -> {
                            if (!Mountpoint.answers(mountpoint)) {
                                dead.complete(false);
                            }
                        });
        try {
            return (boolean)
                    CompletableFuture.anyOf(holder.held().thenApply(_ -> true), dead)
                            .get(HAND_IN_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw Mountpoint.refused(mountpoint, Mountpoint.ALIVE);
        } catch (ExecutionException e) {
            throw new AssertionError(e);
        }
    }

    /** Unmounts if no server is left, because the mount would then be dead. */
    private void stop(Holder holder) {
        boolean isLast = unmount || holder.awaitNobody(Duration.ofSeconds(drain));
        if (isLast) {
            try {
                Files.deleteIfExists(directory.resolve(SIGN));
                MountCalls.detach(mountpoint);
            } catch (IOException e) {
                LOG.error("Cannot unmount: {}. Use 'umount -l {}'", e.getMessage(), mountpoint);
            }
        }
        holder.close(isLast);
    }
}
