package dev.forebay.control.eviction;

import dev.forebay.model.DatasetVersion;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Computes how many bytes become free when copies are evicted one after the other. A chunk that
 * several versions share becomes free with the last of them. Not thread-safe.
 */
public final class SharedBytes {

    private final List<Share> shares;
    private final int[] owners;
    private final Map<DatasetVersion, List<Integer>> of = new HashMap<>();

    /** Bytes that stay until all owners are evicted. */
    public record Share(List<DatasetVersion> owners, long bytes) {

        /** Returns this share with only those owners that satisfy the predicate. */
        public Share among(Predicate<DatasetVersion> counts) {
            return new Share(owners.stream().filter(counts).toList(), bytes);
        }
    }

    public SharedBytes(List<Share> shares) {
        this.shares = List.copyOf(shares);
        owners = shares.stream().mapToInt(share -> share.owners().size()).toArray();
        for (int i = 0; i < owners.length; i++) {
            for (DatasetVersion owner : shares.get(i).owners()) {
                of.computeIfAbsent(owner, _ -> new ArrayList<>()).add(i);
            }
        }
    }

    /** Removes a copy and returns how many bytes become free. */
    public long remove(DatasetVersion version) {
        long freed = 0;
        for (int share : of.getOrDefault(version, List.of())) {
            freed += --owners[share] == 0 ? shares.get(share).bytes() : 0;
        }
        return freed;
    }

    /** Puts back a removed copy and returns how many bytes are no longer free. */
    public long restore(DatasetVersion version) {
        long taken = 0;
        for (int share : of.getOrDefault(version, List.of())) {
            taken += owners[share]++ == 0 ? shares.get(share).bytes() : 0;
        }
        return taken;
    }

    /** Returns whether the version owns any bytes. */
    public boolean isOwner(DatasetVersion version) {
        return of.containsKey(version);
    }

    /**
     * Returns, for each version, the bytes that it shares with this one, whether or not either is
     * removed. Includes the version itself.
     */
    public Map<DatasetVersion, Long> common(DatasetVersion version) {
        Map<DatasetVersion, Long> common = new HashMap<>();
        for (int share : of.getOrDefault(version, List.of())) {
            long bytes = shares.get(share).bytes();
            shares.get(share).owners().forEach(owner -> common.merge(owner, bytes, Long::sum));
        }
        return common;
    }
}
