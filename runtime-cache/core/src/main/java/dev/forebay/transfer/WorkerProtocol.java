package dev.forebay.transfer;

import dev.forebay.model.ChunkId;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.PackId;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/**
 * The names of the HTTP protocol between workers and their clients. Both ends use these constants.
 *
 * <p>{@code docs/interfaces.md}, "Worker protocol", explains them.
 */
public final class WorkerProtocol {

    /** Base64 of one big-endian CRC-32C per 64 KiB block of the body. */
    public static final String CRC_HEADER = "Forebay-Crc32c";

    /** The source of the bytes: a {@link Source#wireName}. */
    public static final String SOURCE_HEADER = "Forebay-Source";

    /**
     * The ranges that are missing in an answer to a request for several ranges, without their unit.
     */
    public static final String ABSENT_HEADER = "Forebay-Absent";

    /** The most ranges in one request. */
    public static final int MOST_RANGES = 64;

    /** The most bytes in one request for several ranges. */
    public static final int MOST_RANGES_BYTES = 8 << 20;

    /** Marks, with the value {@link #WORKER_READS}, a read that is no use of the version. */
    public static final String READER_HEADER = "Forebay-Reader";

    /** The reader is another worker that makes a copy of its own. */
    public static final String WORKER_READS = "worker";

    /** The query parameter with the manifest's digest. */
    public static final String MANIFEST_PARAMETER = "manifest";

    /** The query parameter with a version's name. */
    public static final String VERSION_PARAMETER = "version";

    /** The query parameter of a fill that marks the chunk as read ahead. */
    public static final String AHEAD_PARAMETER = "ahead";

    /** The value of {@code Cache-Control} that forbids the worker to fill. */
    public static final String ONLY_IF_CACHED = "only-if-cached";

    /** The media type of every refusal (RFC 9457). */
    public static final String PROBLEM_TYPE = "application/problem+json";

    /** The member of a problem with the name of an {@link dev.forebay.model.ErrorCode}. */
    public static final String PROBLEM_CODE = "code";

    /** The answer to a read that forbids a fill, when the worker does not have the bytes. */
    public static final int MISS_STATUS = 504;

    public static final String PACK_PATH = "/v1/packs/{p}";
    public static final String CHUNK_PATH = "/v1/packs/{p}/chunks/{i}";
    public static final String VERIFY_PATH = CHUNK_PATH + "/verify";
    public static final String MANIFEST_PATH = "/v1/manifests/{m}";
    public static final String IMAGE_PATH = "/v1/manifests/{m}/image";
    public static final String COVERAGE_PATH = "/v1/manifests/{m}/coverage";
    public static final String MANIFEST_CHUNKS_PATH = "/v1/manifests/{m}/chunks";
    public static final String STATUS_PATH = "/v1/status";
    public static final String USAGE_PATH = "/v1/usage";

    public static final String DRAIN_PATH = "/v1/drain";

    public static final String ACCOUNTS_PATH = "/v1/accounts";
    public static final String ACCOUNT_PATH = "/v1/accounts/{a}";

    /** The query parameter with the account after which a page begins. */
    public static final String AFTER_PARAMETER = "after";

    /** The query parameter with the revision of an account that was recorded. */
    public static final String REVISION_PARAMETER = "revision";

    private WorkerProtocol() {}

    static String read(PackId pack, Digest manifest) {
        return PACK_PATH.replace("{p}", pack.toString()) + ofManifest(manifest);
    }

    static String fill(ChunkId chunk, Digest manifest) {
        return ofChunk(CHUNK_PATH, chunk) + ofManifest(manifest);
    }

    static String fillAhead(ChunkId chunk, Digest manifest) {
        return fill(chunk, manifest) + "&" + AHEAD_PARAMETER + "=true";
    }

    static String verify(ChunkId chunk, Digest manifest) {
        return ofChunk(VERIFY_PATH, chunk) + ofManifest(manifest);
    }

    private static String ofChunk(String path, ChunkId chunk) {
        return path.replace("{p}", chunk.pack().toString())
                .replace("{i}", Integer.toString(chunk.index()));
    }

    static String manifest(Digest manifest) {
        return MANIFEST_PATH.replace("{m}", manifest.hex());
    }

    static String image(DatasetVersion version, Digest manifest) {
        return IMAGE_PATH.replace("{m}", manifest.hex())
                + "?"
                + VERSION_PARAMETER
                + "="
                + URLEncoder.encode(version.toString(), StandardCharsets.UTF_8);
    }

    static String coverage(Digest manifest) {
        return COVERAGE_PATH.replace("{m}", manifest.hex());
    }

    static String chunksOf(Digest manifest) {
        return MANIFEST_CHUNKS_PATH.replace("{m}", manifest.hex());
    }

    static String accounts(int after) {
        return ACCOUNTS_PATH + "?" + AFTER_PARAMETER + "=" + after;
    }

    static String account(String id, long revision) {
        return ACCOUNT_PATH.replace("{a}", id) + "?" + REVISION_PARAMETER + "=" + revision;
    }

    private static String ofManifest(Digest manifest) {
        return "?" + MANIFEST_PARAMETER + "=" + manifest.hex();
    }
}
