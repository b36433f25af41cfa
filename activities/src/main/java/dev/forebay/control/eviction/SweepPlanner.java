package dev.forebay.control.eviction;

import dev.forebay.control.catalogue.Resident;
import dev.forebay.control.catalogue.TtlAfter;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ManifestRef;
import dev.forebay.service.gateway.UsageReport;
import dev.forebay.service.space.EvictionCandidate;
import dev.forebay.service.space.EvictionCandidate.Kind;
import dev.forebay.service.space.SharedBytes;
import dev.forebay.service.space.SharedBytes.Share;
import dev.forebay.service.space.UsedSpace;
import dev.forebay.service.space.VictimSelection;
import dev.forebay.service.space.VictimSelection.Selection;
import dev.forebay.workflows.message.Residency.State;
import dev.forebay.workflows.message.SweepReason;
import dev.forebay.workflows.message.Victim;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the copies that a sweep evicts from a region. First come copies of deleted datasets,
 * expired copies, and orphans. If a namespace exceeds its quota, or the region its high watermark,
 * a {@link VictimSelection} follows. Copies that are pinned or being evicted are never chosen. A
 * copy must be complete to be chosen for expiry, quota or watermark.
 *
 * <p>The plan is a proposal. The workflow of each version checks it again, and the region's etcd
 * fences it, so an old or wrong survey evicts nothing that is pinned.
 */
public final class SweepPlanner {

    private final Watermarks watermarks;

    public SweepPlanner(Watermarks watermarks) {
        this.watermarks = watermarks;
    }

    /** Plans the sweep of a region. */
    public SweepPlan plan(SweepSurvey survey) {
        return new Draft(survey).plan();
    }

    private final class Draft {
        private final SweepSurvey survey;
        private final Map<DatasetVersion, UsageReport.Mounted> mounted = new HashMap<>();
        private final Set<DatasetVersion> leaving;
        private final Map<DatasetVersion, Victim> victims = new LinkedHashMap<>();
        private final List<SweepPlan.Read> reads = new ArrayList<>();
        private final List<String> notes;
        private int unread;

        Draft(SweepSurvey survey) {
            this.survey = survey;
            this.notes = new ArrayList<>(survey.notes());
            survey.usage()
                    .ifPresent(
                            usage ->
                                    usage.versions()
                                            .forEach(each -> mounted.put(each.version(), each)));
            this.leaving = leaving();
        }

        SweepPlan plan() {
            survey.residents().stream().filter(this::isOfDeletedDataset).forEach(this::delete);
            survey.residents().stream().filter(this::isExpired).forEach(this::expire);
            survey.orphans().forEach(this::removeOrphan);
            survey.quotas().forEach(this::holdToQuota);
            survey.usage().ifPresent(this::holdToWatermarks);
            if (unread > 0) {
                notes.add(
                        "%d versions may have expired, but not all workers report when they were read: 'forebay regions' shows the workers"
                                .formatted(unread));
            }
            return new SweepPlan(survey.region(), sized(), reads, notes);
        }

        /** Returns the copies whose eviction has begun. Their bytes count as free. */
        private Set<DatasetVersion> leaving() {
            return Stream.concat(
                            mounted.values().stream()
                                    .filter(UsageReport.Mounted::evicting)
                                    .map(UsageReport.Mounted::version),
                            survey.residents().stream()
                                    .filter(Draft::isLeaving)
                                    .map(Resident::version))
                    .collect(Collectors.toSet());
        }

        private static boolean isLeaving(Resident resident) {
            return resident.residency().state() == State.EVICTING;
        }

        private boolean isOfDeletedDataset(Resident resident) {
            return resident.deletedAt() != null && !isPinned(resident) && !isLeaving(resident);
        }

        private void delete(Resident resident) {
            add(
                    resident,
                    SweepReason.DATASET_DELETED,
                    "dataset %s was deleted".formatted(resident.version().dataset()));
        }

        /**
         * Assumes a read in doubt: a sweep that waits for an answer costs capacity, a wrong
         * eviction costs data that a reader needs.
         */
        private boolean isExpired(Resident resident) {
            if (!isFree(resident) || !resident.isExpired(survey.at(), null)) {
                return false;
            }
            if (resident.ttlAfter() == TtlAfter.READ
                    && survey.usage().filter(usage -> usage.unknown().isEmpty()).isEmpty()) {
                unread++;
                return false;
            }
            Duration ago = readAgo(resident);
            boolean isExpired = resident.isExpired(survey.at(), ago);
            if (!isExpired && ago != null) {
                reads.add(new SweepPlan.Read(resident.version(), ago));
            }
            return isExpired;
        }

        private void expire(Resident resident) {
            Instant unused = resident.unusedSince();
            add(
                    resident,
                    SweepReason.EXPIRED,
                    "it was not %s since %s, and its time to live of %s has ended"
                            .formatted(
                                    resident.ttlAfter() == TtlAfter.PIN
                                            ? "pinned"
                                            : "pinned or read",
                                    unused,
                                    written(resident.ttl())));
        }

        private void add(Resident resident, SweepReason reason, String why) {
            victims.put(
                    resident.version(),
                    new Victim(
                            resident.version(),
                            reason,
                            why,
                            resident.residency().bytesCached(),
                            null,
                            null));
        }

        private void removeOrphan(UsageReport.Mounted orphan) {
            victims.put(
                    orphan.version(),
                    new Victim(
                            orphan.version(),
                            SweepReason.ORPHAN,
                            "it is mounted, but the catalogue has no such version",
                            orphan.manifest().bytes(),
                            null,
                            orphan.manifest()));
        }

        private void holdToQuota(String namespace, long quota) {
            Optional<Long> taken =
                    survey.usage()
                            .map(UsageReport::spaceBytes)
                            .map(byNamespace -> byNamespace.get(namespace));
            if (taken.isEmpty()) {
                return; // nothing is mounted, or a note names the agent that does not answer
            }
            Selection chosen =
                    new VictimSelection(taken(survey.reserved()).of(namespace), null)
                            .select(taken.get() - quota);
            makeSpace(
                    chosen,
                    SweepReason.QUOTA,
                    "namespace %s exceeds its quota of %,d bytes".formatted(namespace, quota));
            if (chosen.shortBytes() > 0) {
                notes.add(
                        "namespace %s stays above its quota of %,d bytes: its other versions are pinned, being filled, or share chunks with such versions. 'forebay pins --region %s' lists the pins"
                                .formatted(namespace, quota, survey.region()));
            }
        }

        private void holdToWatermarks(UsageReport usage) {
            if (!usage.unknown().isEmpty()) {
                notes.add(
                        "the use of the region's capacity is unknown: %s"
                                .formatted(String.join("; ", usage.unknown())));
                return;
            }
            VictimSelection selection = new VictimSelection(taken(SurveyShares.of(usage)), null);
            if (usage.usedBytes() - selection.leavingBytes()
                    <= watermarks.high() * usage.capacityBytes()) {
                return;
            }
            Selection chosen =
                    selection.select(
                            usage.usedBytes() - (long) (watermarks.low() * usage.capacityBytes()));
            makeSpace(
                    chosen,
                    SweepReason.WATERMARK,
                    String.format(
                            Locale.ROOT,
                            "the region was %.1f %% full, above its high watermark of %.1f %%",
                            100.0 * usage.usedBytes() / usage.capacityBytes(),
                            100 * watermarks.high()));
            if (chosen.shortBytes() > 0) {
                notes.add(
                        "the region stays above its low watermark: the other versions are pinned, being filled, or share chunks with such versions. 'forebay pins --region %s' lists the pins"
                                .formatted(survey.region()));
            }
        }

        /** Returns the space that versions take, where victims count as evicted. */
        private UsedSpace taken(List<Share> shares) {
            return new UsedSpace(
                    Stream.concat(
                                    Stream.concat(leaving.stream(), victims.keySet().stream())
                                            .map(
                                                    each ->
                                                            EvictionCandidate.unrated(
                                                                    each, Kind.LEAVING)),
                                    survey.residents().stream()
                                            .filter(this::isFree)
                                            .map(this::candidate))
                            .toList(),
                    shares);
        }

        /** Expired copies are victims already. A read keeps the others whose time has passed. */
        private EvictionCandidate candidate(Resident resident) {
            ManifestRef manifest = resident.manifest();
            Instant usedAt = resident.usedAt(survey.at(), readAgo(resident));
            return new EvictionCandidate(
                    resident.version(),
                    Kind.FREE,
                    manifest == null ? resident.bytes() : manifest.spaceBytes(),
                    survey.worth()
                            .of(
                                    resident.version(),
                                    resident.bytes(),
                                    manifest == null ? 0 : manifest.objects(),
                                    usedAt == null ? null : Duration.between(usedAt, survey.at())),
                    false,
                    resident.residency().evictableAt(),
                    null);
        }

        private void makeSpace(Selection chosen, SweepReason reason, String why) {
            for (VictimSelection.Victim each : chosen.victims()) {
                victims.put(
                        each.version(),
                        new Victim(
                                each.version(),
                                reason,
                                String.format(
                                        Locale.ROOT,
                                        "%s; expected uses of this version: %.2f",
                                        why,
                                        each.candidate().value().uses()),
                                each.bytes(),
                                each.candidate().evictableAt(),
                                null));
            }
        }

        /** Returns the victims with the bytes that each frees after those before it. */
        private List<Victim> sized() {
            if (survey.usage().isEmpty()) {
                return List.copyOf(victims.values());
            }
            SharedBytes staying = new SharedBytes(SurveyShares.of(survey.usage().get()));
            leaving.forEach(staying::remove);
            return victims.values().stream()
                    .map(
                            each ->
                                    new Victim(
                                            each.version(),
                                            each.reason(),
                                            each.why(),
                                            staying.remove(each.version()),
                                            each.evictableAt(),
                                            each.orphan()))
                    .toList();
        }

        private @Nullable Duration readAgo(Resident resident) {
            UsageReport.Mounted there = mounted.get(resident.version());
            Long seconds = there == null ? null : there.secondsSinceRead();
            return seconds == null ? null : Duration.ofSeconds(seconds);
        }

        /**
         * Returns whether a copy is complete, unpinned, and not chosen yet. Without the end of its
         * time to live its workflow could not notice that it was used since.
         */
        private boolean isFree(Resident resident) {
            return resident.residency().state() == State.CACHED
                    && resident.residency().evictableAt() != null
                    && !isPinned(resident)
                    && !leaving.contains(resident.version())
                    && !victims.containsKey(resident.version());
        }

        /**
         * Returns whether the catalogue or the region knows a pin. The catalogue alone is not
         * enough: other clocks than the one used here wrote the expiries there.
         */
        private boolean isPinned(Resident resident) {
            UsageReport.Mounted there = mounted.get(resident.version());
            return resident.isPinned() || (there != null && there.pinned());
        }
    }

    private static String written(Duration duration) {
        return duration.toString().substring(2).toLowerCase(Locale.ROOT);
    }
}
