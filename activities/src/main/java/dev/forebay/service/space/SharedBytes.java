package dev.forebay.service.space;

import dev.forebay.model.DatasetVersion;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Computes how many bytes become free when copies are evicted one after the other. A chunk that
 * several versions share becomes free with the last of them. Not thread-safe.
 */
public final class SharedBytes {

    private final List<Share> shares;
    private final int[] owners;
    private final Map<DatasetVersion, List<Integer>> of = new HashMap<>();
    private final Set<DatasetVersion> removed = new HashSet<>();

    /** Bytes that stay until all owners are evicted. */
    public record Share(List<DatasetVersion> owners, long bytes) {}

    public SharedBytes(List<Share> shares) {
        this.shares = List.copyOf(shares);
        owners = shares.stream().mapToInt(share -> share.owners().size()).toArray();
        for (int i = 0; i < owners.length; i++) {
            for (DatasetVersion owner : shares.get(i).owners()) {
                of.computeIfAbsent(owner, _ -> new ArrayList<>()).add(i);
            }
        }
    }

    /** Removes a copy and returns how many bytes become free: 0 if it was removed before. */
    public long remove(DatasetVersion version) {
        long freed = 0;
        if (removed.add(version)) {
            for (int share : of.getOrDefault(version, List.of())) {
                freed += --owners[share] == 0 ? shares.get(share).bytes() : 0;
            }
        }
        return freed;
    }

    /** Puts back a copy and returns how many bytes are no longer free: 0 if it was not removed. */
    long restore(DatasetVersion version) {
        long taken = 0;
        if (removed.remove(version)) {
            for (int share : of.getOrDefault(version, List.of())) {
                taken += owners[share]++ == 0 ? shares.get(share).bytes() : 0;
            }
        }
        return taken;
    }

    /**
     * Returns, for each version, the bytes that it shares with this one, whether or not either is
     * removed. Includes the version itself.
     */
    Map<DatasetVersion, Long> common(DatasetVersion version) {
        Map<DatasetVersion, Long> common = new HashMap<>();
        for (int share : of.getOrDefault(version, List.of())) {
            long bytes = shares.get(share).bytes();
            shares.get(share).owners().forEach(owner -> common.merge(owner, bytes, Long::sum));
        }
        return common;
    }
}
