package dev.forebay.service.space;

import dev.forebay.model.DatasetVersion;
import dev.forebay.service.space.EvictionCandidate.Kind;
import dev.forebay.service.space.SharedBytes.Share;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The space that versions take in a region.
 *
 * @param versions the versions that may be evicted, or prevent that others are. A version that is
 *     in {@code shares} only stays
 * @param shares the space by owners; includes what an unmounted version needs, too
 */
public record UsedSpace(List<EvictionCandidate> versions, List<Share> shares) {

    /**
     * Returns the part that counts against the quota of a namespace. The quota regains what the
     * namespace's own versions free, even if other namespaces keep the chunks in the region.
     */
    public UsedSpace of(String namespace) {
        Predicate<DatasetVersion> isOwn = each -> each.dataset().namespace().equals(namespace);
        return new UsedSpace(
                versions.stream().filter(each -> isOwn.test(each.version())).toList(),
                shares.stream()
                        .map(
                                share ->
                                        new Share(
                                                share.owners().stream().filter(isOwn).toList(),
                                                share.bytes()))
                        .filter(share -> !share.owners().isEmpty())
                        .toList());
    }

    /** Returns the same space, in which these versions are being evicted. */
    UsedSpace without(Set<DatasetVersion> leaving) {
        return new UsedSpace(
                versions.stream()
                        .map(
                                each ->
                                        leaving.contains(each.version())
                                                ? each.as(Kind.LEAVING)
                                                : each)
                        .toList(),
                shares);
    }

    /** Returns the same space, in which only versions past their time to live may be evicted. */
    UsedSpace withoutUnexpired() {
        return new UsedSpace(
                versions.stream()
                        .map(
                                each ->
                                        each.kind() == Kind.FREE && !each.isExpired()
                                                ? each.as(Kind.BUSY)
                                                : each)
                        .toList(),
                shares);
    }
}
