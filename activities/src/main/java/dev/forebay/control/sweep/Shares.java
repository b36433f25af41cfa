package dev.forebay.control.sweep;

import dev.forebay.model.DatasetVersion;
import dev.forebay.service.gateway.UsageReport;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What becomes free when copies go, one after the other: chunks that several versions refer to stay
 * until the last of them has gone. For one thread.
 */
final class Shares {

    private final List<UsageReport.Share> shares;
    private final int[] owners;
    private final Map<DatasetVersion, List<Integer>> of = new HashMap<>();

    Shares(UsageReport usage) {
        shares = usage.shares();
        owners = shares.stream().mapToInt(share -> share.owners().size()).toArray();
        for (int i = 0; i < shares.size(); i++) {
            for (int owner : shares.get(i).owners()) {
                of.computeIfAbsent(usage.versions().get(owner).version(), _ -> new ArrayList<>())
                        .add(i);
            }
        }
    }

    /** Takes a copy away and returns how many bytes become free with it. */
    long remove(DatasetVersion version) {
        long freed = 0;
        for (int share : of.getOrDefault(version, List.of())) {
            freed += --owners[share] == 0 ? shares.get(share).bytes() : 0;
        }
        return freed;
    }

    /** Puts back a copy that was removed and returns how many bytes are not free any more. */
    long restore(DatasetVersion version) {
        long taken = 0;
        for (int share : of.getOrDefault(version, List.of())) {
            taken += owners[share]++ == 0 ? shares.get(share).bytes() : 0;
        }
        return taken;
    }
}
