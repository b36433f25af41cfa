package dev.forebay.placement;

import dev.forebay.model.ChunkId;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Weighted rendezvous hashing: ranks the workers for a chunk, the owner first.
 *
 * <p>Each worker gets a score for the chunk, {@code weight / -ln(u)}, with a pseudo-random {@code
 * u} in (0, 1) derived from chunk and worker. The worker with the highest score owns the chunk. A
 * worker owns a share of the chunks in proportion to its weight. Scores are independent, so a
 * worker that joins or leaves moves only its own share. Plain rendezvous hashing is due to Thaler
 * and Ravishankar ("Using name-based mappings to increase hit rates", IEEE/ACM Transactions on
 * Networking 6(1), 1998). The logarithmic method is due to Schindelhauer and Schomaker ("Weighted
 * distributed hash tables", SPAA 2005).
 *
 * <p>All readers and writers of a region's chunks must agree on the ranking, so this function is
 * part of the protocol:
 *
 * <ul>
 *   <li>worker hash: {@code mix} of the 64-bit FNV-1a hash of the id's UTF-8 bytes
 *   <li>chunk hash: the first 8 bytes of the pack id, big-endian, plus {@code index *
 *       0x9E3779B97F4A7C15}
 *   <li>{@code h = mix(mix(chunk hash) ^ worker hash)}, {@code u = ((h >>> 11) + 0.5) / 2^53}
 *   <li>{@code mix}: the finaliser of MurmurHash3's 64-bit variant (Appleby, public domain)
 *   <li>weight: the worker's capacity in bytes; equal scores are ordered by id
 * </ul>
 *
 * <p>Stateless and thread-safe. The cost is linear in the number of workers, apart from sorting
 * them.
 */
public final class Placement {

    private static final long FNV_OFFSET = 0xcbf29ce484222325L;
    private static final long FNV_PRIME = 0x100000001b3L;
    private static final long GOLDEN = 0x9E3779B97F4A7C15L;
    private static final double TWO_TO_MINUS_53 = 0x1p-53;

    private record Scored(WorkerNode worker, double score) {}

    private static final Comparator<Scored> BEST_FIRST =
            Comparator.comparingDouble(Scored::score)
                    .reversed()
                    .thenComparing(scored -> scored.worker().id());

    private Placement() {}

    /**
     * Ranks workers by their score for a chunk.
     *
     * @param workers in any order, with distinct ids
     * @return all workers: the owner first, then the worker that would own the chunk without the
     *     owner, and so on
     */
    public static List<WorkerNode> rank(ChunkId chunk, List<WorkerNode> workers) {
        long chunkHash = mix(chunkHash(chunk));
        List<Scored> scored = new ArrayList<>(workers.size());
        for (WorkerNode worker : workers) {
            scored.add(new Scored(worker, score(chunkHash, worker)));
        }
        scored.sort(BEST_FIRST);
        return scored.stream().map(Scored::worker).toList();
    }

    private static double score(long chunkHash, WorkerNode worker) {
        long h = mix(chunkHash ^ workerHash(worker.id()));
        double u = ((h >>> 11) + 0.5) * TWO_TO_MINUS_53;
        // StrictMath gives the same result on every machine.
        return Math.max(0, worker.capacityBytes()) / -StrictMath.log(u);
    }

    private static long chunkHash(ChunkId chunk) {
        long pack = Long.parseUnsignedLong(chunk.pack().digest().hex(), 0, 16, 16);
        return pack + chunk.index() * GOLDEN;
    }

    private static long workerHash(String id) {
        long hash = FNV_OFFSET;
        for (byte b : id.getBytes(StandardCharsets.UTF_8)) {
            hash = (hash ^ (b & 0xff)) * FNV_PRIME;
        }
        return mix(hash);
    }

    private static long mix(long h) {
        h = (h ^ (h >>> 33)) * 0xff51afd7ed558ccdL;
        h = (h ^ (h >>> 33)) * 0xc4ceb9fe1a85ec53L;
        return h ^ (h >>> 33);
    }
}
