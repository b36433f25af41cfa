package dev.forebay.benchmarks.stack;

import java.util.List;
import java.util.Map;

/**
 * The amounts of data and the numbers of rounds.
 *
 * @param warmUps rounds of cold reads that do not count. Without them, the compilers of four JVMs
 *     would be most of the measurement
 * @param warmUpsOfWarm rounds of warm reads that do not count
 * @param rounds that count
 * @param samples of a case in a round, for contenders without a daemon
 * @param large read repeatedly, with warm caches
 * @param small read repeatedly, with warm caches
 * @param coldShardBytes of each of four objects that are read once
 * @param coldFiles the number of small objects that are read once
 * @param coldFileBytes of an object that a single thread reads once; 0 for none
 * @param firstByteBytes of an object of which one byte is read
 * @param divisor of the number of random reads
 * @param diskBytes the space for lake, stores and caches, with a reserve
 */
public record Scale(
        int warmUps,
        int warmUpsOfWarm,
        int rounds,
        int samples,
        Dataset large,
        Dataset small,
        long coldShardBytes,
        int coldFiles,
        long coldFileBytes,
        long firstByteBytes,
        int divisor,
        long diskBytes) {
    private static final long MEBIBYTE = 1 << 20;

    public static final Scale FULL =
            new Scale(
                    6,
                    3,
                    3,
                    3,
                    new Dataset("large", 4, 128 * MEBIBYTE),
                    Dataset.small("small", 2_000),
                    64 * MEBIBYTE,
                    1_000,
                    0,
                    1_024 * MEBIBYTE,
                    1,
                    64_000 * MEBIBYTE);

    /** Checks only that everything works. */
    public static final Scale QUICK =
            new Scale(
                    1,
                    1,
                    1,
                    1,
                    new Dataset("large", 4, 16 * MEBIBYTE),
                    Dataset.small("small", 300),
                    16 * MEBIBYTE,
                    200,
                    0,
                    64 * MEBIBYTE,
                    10,
                    5_000 * MEBIBYTE);

    /** For a distant lake: only reads that are possible once, and larger objects. */
    public static final Scale AWAY =
            new Scale(
                    2,
                    0,
                    3,
                    1,
                    new Dataset("large", 1, MEBIBYTE),
                    Dataset.small("small", 1),
                    128 * MEBIBYTE,
                    1_000,
                    256 * MEBIBYTE,
                    64 * MEBIBYTE,
                    1,
                    40_000 * MEBIBYTE);

    public Dataset coldLarge(int round) {
        return new Dataset("cold-large-" + round, 4, coldShardBytes);
    }

    public Dataset coldSmall(int round) {
        return Dataset.small("cold-small-" + round, coldFiles);
    }

    public Dataset coldFile(int round) {
        return new Dataset("cold-file-" + round, 1, coldFileBytes);
    }

    /** Returns the datasets that are read once, only from the lake. */
    public List<Dataset> cold(int round) {
        return coldFileBytes == 0
                ? List.of(coldLarge(round), coldSmall(round))
                : List.of(coldLarge(round), coldSmall(round), coldFile(round));
    }

    public Dataset remoteLarge(int round) {
        return new Dataset("remote-large-" + round, 4, coldShardBytes);
    }

    public Dataset remoteSmall(int round) {
        return Dataset.small("remote-small-" + round, coldFiles);
    }

    public Dataset firstByte(int round) {
        return new Dataset("first-byte-" + round, 1, firstByteBytes);
    }

    public List<Dataset> warm() {
        return List.of(large, small);
    }

    public Map<String, Object> circumstances() {
        return Map.of(
                "warm_up_rounds",
                warmUps,
                "warm_up_rounds_of_warm",
                warmUpsOfWarm,
                "rounds_that_count",
                rounds,
                "samples_in_a_round_without_daemon",
                samples,
                "large_bytes",
                large.totalBytes(),
                "small_files",
                small.files(),
                "small_file_bytes",
                small.bytes(),
                "cold_large_bytes",
                coldLarge(0).totalBytes(),
                "cold_small_files",
                coldFiles,
                "first_byte_bytes",
                firstByteBytes);
    }
}
