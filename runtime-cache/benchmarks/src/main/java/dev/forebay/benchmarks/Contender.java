package dev.forebay.benchmarks;

/** Whose work is measured. */
enum Contender {
    /** The files that the lake's server keeps its objects in. */
    RAW("raw_directory"),
    /** The image over complete packs of the node cache. */
    NATIVE("forebay_native"),
    /** The same by loop devices, which can be read with O_DIRECT. */
    NATIVE_LOOPS("forebay_native_loops"),
    /** The image over packs that the pod serves, transport {@code kernel}. */
    ON_DEMAND("forebay_on_demand"),
    /** File by file, transport {@code kernel}. */
    KERNEL("forebay_portable_kernel"),
    /** File by file, transport {@code jnr}. */
    JNR("forebay_portable_jnr"),
    /** {@link StockMirror} over the raw directory. */
    STOCK("stock_jnr"),
    RCLONE("rclone"),
    S3FS("s3fs"),
    /** A download of the same objects, not a mount. */
    S5CMD("s5cmd"),
    /** nginx with sendfile over the raw directory, and curl. */
    NGINX("nginx_curl"),
    /** A ranged GET with the AWS SDK. */
    GET("ranged_get"),
    /** All of it together, as its API shows it. */
    FOREBAY(Results.FOREBAY),
    /** An update-with-start of an empty workflow on the same server. */
    BARE_UPDATE("bare_update");

    private final String label;

    Contender(String label) {
        this.label = label;
    }

    /** Its name in results. */
    String label() {
        return label;
    }
}
