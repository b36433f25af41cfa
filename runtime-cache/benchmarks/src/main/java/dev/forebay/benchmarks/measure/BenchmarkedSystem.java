package dev.forebay.benchmarks.measure;

/** A system that benchmarks measure. */
public enum BenchmarkedSystem {
    /** The files in which the lake's server keeps its objects. */
    RAW("raw_directory"),
    /** The image over complete packs of the node cache. */
    NATIVE("forebay_native"),
    /** The same image on loop devices, which support O_DIRECT. */
    NATIVE_LOOPS("forebay_native_loops"),
    /** The image from packs that the pod serves, transport {@code kernel}. */
    ON_DEMAND("forebay_on_demand"),
    /** File by file, transport {@code kernel}. */
    KERNEL("forebay_portable_kernel"),
    /** File by file, transport {@code jnr}. */
    JNR("forebay_portable_jnr"),
    /** {@code StockMirror} over the raw directory. */
    STOCK("stock_jnr"),
    RCLONE("rclone"),
    S3FS("s3fs"),
    /** A download of the same objects without a mount. */
    S5CMD("s5cmd"),
    /** nginx with sendfile over the raw directory, and curl. */
    NGINX("nginx_curl"),
    /** A ranged GET with the AWS SDK. */
    GET("ranged_get"),
    /** The whole of Forebay, through its API. */
    FOREBAY(Results.FOREBAY),
    /** An update-with-start of an empty workflow on the same server. */
    BARE_UPDATE("bare_update");

    private final String label;

    BenchmarkedSystem(String label) {
        this.label = label;
    }

    /** Returns the name in results. */
    public String label() {
        return label;
    }
}
