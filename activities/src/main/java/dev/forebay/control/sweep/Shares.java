package dev.forebay.control.sweep;

import dev.forebay.model.DatasetVersion;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * What becomes free when copies go, one after the other: chunks that several versions refer to stay
 * until the last of them has gone. For one thread.
 */
public final class Shares {

    private final List<Share> shares;
    private final int[] owners;
    private final Map<DatasetVersion, List<Integer>> of = new HashMap<>();

    /** Bytes that stay as long as one of these does. */
    public record Share(List<DatasetVersion> owners, long bytes) {

        /** The same with those of its owners for whom this holds, and no others. */
        public Share among(Predicate<DatasetVersion> counts) {
            return new Share(owners.stream().filter(counts).toList(), bytes);
        }
    }

    public Shares(List<Share> shares) {
        this.shares = List.copyOf(shares);
        owners = shares.stream().mapToInt(share -> share.owners().size()).toArray();
        for (int i = 0; i < owners.length; i++) {
            for (DatasetVersion owner : shares.get(i).owners()) {
                of.computeIfAbsent(owner, _ -> new ArrayList<>()).add(i);
            }
        }
    }

    /** Takes a copy away and returns how many bytes become free with it. */
    public long remove(DatasetVersion version) {
        long freed = 0;
        for (int share : of.getOrDefault(version, List.of())) {
            freed += --owners[share] == 0 ? shares.get(share).bytes() : 0;
        }
        return freed;
    }

    /** Puts back a copy that was removed and returns how many bytes are not free any more. */
    public long restore(DatasetVersion version) {
        long taken = 0;
        for (int share : of.getOrDefault(version, List.of())) {
            taken += owners[share]++ == 0 ? shares.get(share).bytes() : 0;
        }
        return taken;
    }

    /** Whether any bytes stay as long as this one does. */
    public boolean isOwner(DatasetVersion version) {
        return of.containsKey(version);
    }

    /** How many bytes each has that this one needs, too, whoever of them is there. */
    public Map<DatasetVersion, Long> common(DatasetVersion version) {
        Map<DatasetVersion, Long> common = new HashMap<>();
        for (int share : of.getOrDefault(version, List.of())) {
            long bytes = shares.get(share).bytes();
            shares.get(share).owners().forEach(owner -> common.merge(owner, bytes, Long::sum));
        }
        return common;
    }
}
