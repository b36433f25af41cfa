package dev.forebay.fuse.options;

import dev.forebay.fuse.view.ImageDevices;
import dev.forebay.fuse.view.View;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.RegionName;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of the pod, from the command line or the environment. */
@SuppressWarnings("NullAway.Init") // picocli sets the required ones or refuses to start
public final class PodOptions {

    public static final int MAX_PORT = 65_535;

    @Option(
            names = "--region",
            required = true,
            converter = RegionConverter.class,
            defaultValue = "${env:FOREBAY_REGION}",
            paramLabel = "NAME",
            description = "The region whose versions to show. FOREBAY_REGION")
    public RegionName region;

    @Option(
            names = "--mountpoint",
            defaultValue =
                    "${env:FOREBAY_FUSE_MOUNTPOINT:-" + picocli.CommandLine.Option.NULL_VALUE + "}",
            paramLabel = "DIR",
            description =
                    "An empty directory to mount on; this or --holder. FOREBAY_FUSE_MOUNTPOINT")
    public @Nullable Path mountpoint;

    @Option(
            names = "--holder",
            defaultValue =
                    "${env:FOREBAY_FUSE_HOLDER:-" + picocli.CommandLine.Option.NULL_VALUE + "}",
            paramLabel = "DIR",
            description =
                    "Serve the mount of 'forebay-fuse hold' with the same --holder, or stand by."
                            + " FOREBAY_FUSE_HOLDER")
    public @Nullable Path holder;

    @Option(
            names = "--directory",
            required = true,
            defaultValue = "${env:FOREBAY_FUSE_DIRECTORY}",
            paramLabel = "DIR",
            description =
                    "Directory for manifests, packs and images. Each process needs its own."
                            + " FOREBAY_FUSE_DIRECTORY")
    public Path directory;

    @Option(
            names = "--cache-directory",
            defaultValue =
                    "${env:FOREBAY_FUSE_CACHE_DIRECTORY:-"
                            + picocli.CommandLine.Option.NULL_VALUE
                            + "}",
            paramLabel = "DIR",
            description =
                    "Directory for packs and images, if not in --directory. Processes with the "
                            + "same --holder share it: the serving one uses it."
                            + " FOREBAY_FUSE_CACHE_DIRECTORY")
    @Nullable Path cacheDirectory;

    @Option(
            names = "--transport",
            defaultValue = "${env:FOREBAY_FUSE_TRANSPORT:-auto}",
            paramLabel = "NAME",
            description =
                    "Transport to the kernel: kernel (needs root), jnr (needs libfuse 2), or "
                            + "auto: kernel if that works, otherwise jnr. FOREBAY_FUSE_TRANSPORT")
    public TransportChoice transport;

    @Option(
            names = "--view",
            defaultValue = "${env:FOREBAY_FUSE_VIEW:-auto}",
            paramLabel = "NAME",
            description =
                    "How to show versions: portable, file by file; on-demand, by images (needs "
                            + "root); native, by images from this node's disk, which fetches whole "
                            + "versions and shows them on demand until then; or auto: native for "
                            + "versions that are complete on this node's disk, otherwise on-demand, or "
                            + "portable if images do not work. FOREBAY_FUSE_VIEW")
    public ViewChoice view;

    @Option(
            names = "--image-devices",
            split = ",",
            defaultValue = "${env:FOREBAY_FUSE_IMAGE_DEVICES:-files,loops}",
            paramLabel = "NAME",
            description =
                    "Devices for images, in order of preference: files (Linux 6.12, not with the "
                            + "transport jnr), loops (Linux 5.16, a loop device for each pack)."
                            + " FOREBAY_FUSE_IMAGE_DEVICES")
    private List<ImageDevices> imageDevices;

    @Option(
            names = "--strict",
            negatable = true,
            fallbackValue = "true",
            defaultValue = "${env:FOREBAY_FUSE_STRICT:-false}",
            description =
                    "Verify checksums at every read that reaches the pod, cache nothing in "
                            + "memory, and use no view that reads files without the pod "
                            + "(default: false). FOREBAY_FUSE_STRICT")
    public boolean strict;

    @Option(
            names = "--memory-cache",
            converter = SizeConverter.class,
            defaultValue = "${env:FOREBAY_FUSE_MEMORY_CACHE:-256M}",
            paramLabel = "SIZE",
            description =
                    "Memory for pieces of packs, outside the heap (default: 256M)."
                            + " FOREBAY_FUSE_MEMORY_CACHE")
    public ByteSize memoryCache;

    @Option(
            names = "--pack-cache",
            converter = SizeConverter.class,
            defaultValue = "${env:FOREBAY_FUSE_PACK_CACHE:-16G}",
            paramLabel = "SIZE",
            description =
                    "Disk space for packs, the node cache (default: 16G). 0: no node cache."
                            + " FOREBAY_FUSE_PACK_CACHE")
    public ByteSize packCache;

    @Option(
            names = "--prewarm-rate",
            converter = SizeConverter.class,
            defaultValue = "${env:FOREBAY_FUSE_PREWARM_RATE:-128M}",
            paramLabel = "SIZE",
            description =
                    "Rate at which versions that are read here are prewarmed on this node, in "
                            + "bytes per second (default: 128M). 0: none. "
                            + "FOREBAY_FUSE_PREWARM_RATE")
    public ByteSize prewarmRate;

    @Option(
            names = "--worker-store",
            split = ListedPathConverter.COMMA,
            splitSynopsisLabel = ",",
            converter = ListedPathConverter.class,
            defaultValue =
                    "${env:FOREBAY_FUSE_WORKER_STORE:-"
                            + picocli.CommandLine.Option.NULL_VALUE
                            + "}",
            paramLabel = "DIR",
            description =
                    "Directories of workers on this node, comma-separated. Their chunks are read "
                            + "from their files. FOREBAY_FUSE_WORKER_STORE")
    public List<Path> workerStores = List.of();

    @Option(
            names = "--scrub-rate",
            converter = SizeConverter.class,
            defaultValue = "${env:FOREBAY_FUSE_SCRUB_RATE:-4M}",
            paramLabel = "SIZE",
            description =
                    "Rate of scrubbing packs, and of manifests and images each, in bytes per "
                            + "second (default: 4M). 0: none."
                            + " FOREBAY_FUSE_SCRUB_RATE")
    public ByteSize scrubRate;

    @Option(
            names = "--scrub-pause",
            defaultValue = "${env:FOREBAY_FUSE_SCRUB_PAUSE:-3600}",
            paramLabel = "S",
            description =
                    "Pause before each scrub, in seconds (default: 3600). "
                            + "FOREBAY_FUSE_SCRUB_PAUSE")
    public int scrubPauseSeconds;

    @Option(
            names = "--sweep-delay",
            defaultValue = "${env:FOREBAY_FUSE_SWEEP_DELAY:-600}",
            paramLabel = "S",
            description =
                    "Time to keep the packs of a version that has left the region, in "
                            + "seconds (default: 600). FOREBAY_FUSE_SWEEP_DELAY")
    public int sweepDelaySeconds;

    @Option(
            names = "--manifest-cache",
            converter = SizeConverter.class,
            defaultValue = "${env:FOREBAY_FUSE_MANIFEST_CACHE:-4G}",
            paramLabel = "SIZE",
            description = "Disk space for manifests (default: 4G). FOREBAY_FUSE_MANIFEST_CACHE")
    public ByteSize manifestCache;

    @Option(
            names = "--image-cache",
            converter = SizeConverter.class,
            defaultValue = "${env:FOREBAY_FUSE_IMAGE_CACHE:-16G}",
            paramLabel = "SIZE",
            description =
                    "Disk space for images, about 240 bytes per file. When it is full, other "
                            + "versions are shown file by file (default: 16G)."
                            + " FOREBAY_FUSE_IMAGE_CACHE")
    public ByteSize imageCache;

    @Option(
            names = "--attribute-cache",
            defaultValue = "${env:FOREBAY_FUSE_ATTRIBUTE_CACHE:-65536}",
            paramLabel = "N",
            description =
                    "Number of files whose attributes are cached (default: 65536). "
                            + "FOREBAY_FUSE_ATTRIBUTE_CACHE")
    public int attributeCache;

    @Option(
            names = "--metrics-port",
            defaultValue = "${env:FOREBAY_FUSE_METRICS_PORT:-9464}",
            paramLabel = "P",
            description =
                    "Port of /metrics, /health/live and /health/ready (default: 9464). 0: any."
                            + " FOREBAY_FUSE_METRICS_PORT")
    int metricsPort;

    @Option(
            names = "--metrics-address",
            defaultValue = "${env:FOREBAY_FUSE_METRICS_ADDRESS:-127.0.0.1}",
            paramLabel = "ADDRESS",
            description =
                    "The address of that port (default: 127.0.0.1). 0.0.0.0 for all addresses of "
                            + "this machine or container. FOREBAY_FUSE_METRICS_ADDRESS")
    InetAddress metricsAddress;

    @Option(
            names = "--token-file",
            defaultValue =
                    "${env:FOREBAY_TOKEN_FILE:-" + picocli.CommandLine.Option.NULL_VALUE + "}",
            paramLabel = "FILE",
            description = "File with the bearer token for workers. FOREBAY_TOKEN_FILE")
    public @Nullable Path tokenFile;

    @Option(
            names = "--worker-ca",
            defaultValue =
                    "${env:FOREBAY_WORKER_CA:-" + picocli.CommandLine.Option.NULL_VALUE + "}",
            paramLabel = "FILE",
            description =
                    "The authorities, in PEM, that sign the certificates of workers. Default: "
                            + "those of the JVM. FOREBAY_WORKER_CA")
    public @Nullable Path workerAuthorities;

    @Option(
            names = "--allow-other",
            negatable = true,
            fallbackValue = "true",
            defaultValue =
                    "${env:FOREBAY_FUSE_ALLOW_OTHER:-"
                            + picocli.CommandLine.Option.NULL_VALUE
                            + "}",
            description =
                    "Let other users read. Default: true for root, and if /etc/fuse.conf "
                            + "contains user_allow_other. FOREBAY_FUSE_ALLOW_OTHER")
    public @Nullable Boolean allowOther;

    public @Mixin EtcdOptions etcd = new EtcdOptions();

    public @Mixin NodeOptions node = new NodeOptions();

    /** Returns the directory of packs and images. */
    public Path cacheDirectory() {
        return cacheDirectory == null ? directory : cacheDirectory;
    }

    /** Returns the directory of the node cache. */
    public Path packDirectory() {
        return cacheDirectory().resolve("packs");
    }

    /** Returns the directory for data that all processes which serve the mount must agree on. */
    public Path mountDirectory() {
        return holder == null ? directory : holder;
    }

    /** Returns the address of metrics and health. */
    public InetSocketAddress metricsSocket() {
        return new InetSocketAddress(metricsAddress, metricsPort);
    }

    /**
     * Returns whether other processes that serve the mount in turn may use the same cache
     * directory.
     */
    public boolean cacheIsShared() {
        return cacheDirectory != null && holder != null;
    }

    /**
     * Returns whether complete versions are brought to this node's disk, to be read without the
     * pod.
     */
    public boolean bringsWholeVersions() {
        return packCache.bytes() > 0 && prewarmRate.bytes() > 0 && !strict;
    }

    /**
     * Returns the ways to mount images, in order of preference. Files are excluded for libfuse 2,
     * through which the kernel reads in small requests. If a request after the first one fails, the
     * result is a short read. EROFS over files takes the rest for zeros, at least up to Linux 6.18
     * (fs/erofs/fileio.c); a loop device reads the rest again.
     */
    public List<ImageDevices> imageDevices() {
        return imageDevices.stream()
                .filter(each -> transport != TransportChoice.JNR || each != ImageDevices.FILES)
                .toList();
    }

    /**
     * Returns how to mount the tree below images. A process that may mount images from files may
     * also mount by the kernel's protocol. With libfuse, such images would be damaged as {@link
     * #imageDevices()} describes. The kernel transport is therefore the only choice for them.
     */
    public TransportChoice transport(ViewChoice.Found images) {
        boolean fromFiles =
                images.best() != View.PORTABLE && images.devices() == ImageDevices.FILES;
        return fromFiles && transport == TransportChoice.AUTO ? TransportChoice.KERNEL : transport;
    }

    /**
     * Validates what the types of the options do not.
     *
     * @throws ForebayException {@code INVALID_ARGUMENT}, naming option, value and rule
     */
    public void check() {
        requireWithin("--attribute-cache", attributeCache, 1, Integer.MAX_VALUE);
        requireWithin("--scrub-pause", scrubPauseSeconds, 1, Integer.MAX_VALUE);
        requireWithin("--sweep-delay", sweepDelaySeconds, 1, Integer.MAX_VALUE);
        requireWithin("--metrics-port", metricsPort, 0, MAX_PORT);
        node.check();
        requireOnePlace();
        requireOutsideOfMount("--directory", directory, mountpoint);
        requireOutsideOfMount("--cache-directory", cacheDirectory(), mountpoint);
        if (view == ViewChoice.NATIVE && !bringsWholeVersions()) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "--view native needs --pack-cache and --prewarm-rate above 0, and no --strict");
        }
    }

    private void requireOnePlace() {
        String rule =
                "give --mountpoint to mount, or --holder to serve a mount of 'forebay-fuse hold'";
        if (mountpoint == null && holder == null) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "neither --mountpoint nor --holder is given; " + rule);
        }
        if (mountpoint != null && holder != null) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "--mountpoint is %s and --holder is %s; %s, not both"
                            .formatted(mountpoint, holder, rule));
        }
        if (holder != null && transport == TransportChoice.JNR) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "--holder is "
                            + holder
                            + " and --transport is jnr; only the transport kernel can serve the "
                            + "mount of a holder");
        }
    }

    /**
     * Checks that a directory of this process is not below its mount point. Otherwise it would be
     * hidden, or the process would have to serve its own accesses.
     *
     * @throws ForebayException {@code INVALID_ARGUMENT}
     */
    public static void requireOutsideOfMount(String option, Path kept, @Nullable Path mountpoint) {
        // Compares the paths as written first: resolving a path below a mount without a server
        // blocks.
        if (mountpoint != null
                && (absolute(kept).startsWith(absolute(mountpoint))
                        || Mountpoint.resolved(kept).startsWith(Mountpoint.resolved(mountpoint)))) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "%s is %s; it must not be below --mountpoint, %s"
                            .formatted(option, kept, mountpoint));
        }
    }

    private static Path absolute(Path path) {
        return path.toAbsolutePath().normalize();
    }

    public static void requireWithin(String option, int value, int least, int most) {
        if (value < least || value > most) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "%s is %d; it must be from %d to %d".formatted(option, value, least, most));
        }
    }
}
