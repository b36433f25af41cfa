package dev.forebay.control.eviction;

import dev.forebay.control.catalogue.Resident;
import dev.forebay.control.catalogue.TtlAfter;
import dev.forebay.model.DatasetVersion;
import dev.forebay.service.gateway.UsageReport;
import dev.forebay.workflows.message.Residency.State;
import dev.forebay.workflows.message.SweepReason;
import dev.forebay.workflows.message.Victim;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the copies that a sweep evicts from a region. First come copies of deleted datasets,
 * expired copies, and orphans. If a namespace exceeds its quota, or the region its high watermark,
 * the least recently used copies follow. Copies that are pinned or on their way out are never
 * chosen. A copy must be complete to be chosen for expiry, quota or watermark.
 *
 * <p>The plan is a proposal. The workflow of each version checks it again, and the region's etcd
 * fences it, so an old or wrong survey evicts nothing that is pinned.
 */
public final class SweepPlanner {

    /** Evicts the copy first whose last use is the earliest. */
    private static final Comparator<Candidate> LEAST_RECENTLY_USED =
            Comparator.comparing(Candidate::usedAt)
                    .thenComparing(candidate -> candidate.resident().version().toString());

    private final Watermarks watermarks;

    public SweepPlanner(Watermarks watermarks) {
        this.watermarks = watermarks;
    }

    /** Plans the sweep of a region. */
    public SweepPlan plan(SweepSurvey survey) {
        return new Draft(survey).plan();
    }

    /** A copy that may be evicted to free capacity. */
    private record Candidate(Resident resident, Instant usedAt) {}

    private final class Draft {
        private final SweepSurvey survey;
        private final Optional<SharedBytes> shares;
        // A chunk counts for a namespace only while a version of the namespace needs it, even if
        // versions of other namespaces share it.
        private final Map<String, SharedBytes> sharesOf = new HashMap<>();
        private final Map<DatasetVersion, UsageReport.Mounted> mounted = new HashMap<>();
        private final Map<DatasetVersion, Victim> victims = new LinkedHashMap<>();
        private final List<SweepPlan.Read> reads = new ArrayList<>();
        private final List<String> notes;
        private final Map<String, Long> freedOf = new HashMap<>();
        private long freed;
        private int unread;

        Draft(SweepSurvey survey) {
            this.survey = survey;
            List<SharedBytes.Share> all = survey.usage().map(Draft::shares).orElse(List.of());
            this.shares = survey.usage().map(_ -> new SharedBytes(all));
            survey.quotas()
                    .keySet()
                    .forEach(namespace -> sharesOf.put(namespace, among(all, namespace)));
            this.notes = new ArrayList<>(survey.notes());
            survey.usage()
                    .ifPresent(
                            usage ->
                                    usage.versions()
                                            .forEach(each -> mounted.put(each.version(), each)));
        }

        private static List<SharedBytes.Share> shares(UsageReport usage) {
            return usage.shares().stream()
                    .map(
                            share ->
                                    new SharedBytes.Share(
                                            share.owners().stream()
                                                    .map(usage.versions()::get)
                                                    .map(UsageReport.Mounted::version)
                                                    .toList(),
                                            share.bytes()))
                    .toList();
        }

        private static SharedBytes among(List<SharedBytes.Share> all, String namespace) {
            return new SharedBytes(
                    all.stream()
                            .map(
                                    share ->
                                            share.among(
                                                    each ->
                                                            each.dataset()
                                                                    .namespace()
                                                                    .equals(namespace)))
                            .toList());
        }

        SweepPlan plan() {
            leaving().forEach(version -> freed += freedBy(version).orElse(0L));
            survey.residents().stream().filter(this::isOfDeletedDataset).forEach(this::delete);
            survey.residents().stream().filter(this::isExpired).forEach(this::expire);
            survey.orphans().forEach(this::removeOrphan);
            survey.quotas().forEach(this::holdToQuota);
            holdToWatermarks();
            if (unread > 0) {
                notes.add(
                        "%d versions would have expired, but not all workers say when they were read"
                                .formatted(unread));
            }
            return new SweepPlan(survey.region(), List.copyOf(victims.values()), reads, notes);
        }

        /** Returns the copies whose eviction has begun. Their bytes count as free. */
        private Stream<DatasetVersion> leaving() {
            return Stream.concat(
                            mounted.values().stream()
                                    .filter(UsageReport.Mounted::evicting)
                                    .map(UsageReport.Mounted::version),
                            survey.residents().stream()
                                    .filter(Draft::isLeaving)
                                    .map(Resident::version))
                    .distinct();
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

        private boolean isExpired(Resident resident) {
            Instant end = resident.residency().evictableAt();
            return isFree(resident)
                    && end != null
                    && !end.isAfter(survey.at())
                    && (resident.ttlAfter() == TtlAfter.PIN || isUnread(resident));
        }

        /**
         * Assumes a read in doubt: a sweep that waits for an answer costs capacity, a wrong
         * eviction costs data that a reader needs.
         */
        private boolean isUnread(Resident resident) {
            if (survey.usage().filter(usage -> usage.unknown().isEmpty()).isEmpty()) {
                unread++;
                return false;
            }
            Optional<Duration> ago = readAgo(resident.version());
            if (ago.filter(since -> since.compareTo(resident.ttl()) < 0).isPresent()) {
                reads.add(new SweepPlan.Read(resident.version(), ago.get()));
                return false;
            }
            return true;
        }

        private void expire(Resident resident) {
            Instant unused = resident.unusedSince();
            add(
                    resident,
                    SweepReason.EXPIRED,
                    "nobody has %s it since %s, for longer than its time to live of %s"
                            .formatted(
                                    resident.ttlAfter() == TtlAfter.PIN ? "held" : "held or read",
                                    unused,
                                    written(resident.ttl())));
        }

        private void removeOrphan(UsageReport.Mounted orphan) {
            long bytes = freedBy(orphan.version()).orElse(orphan.manifest().bytes());
            freed += bytes;
            victims.put(
                    orphan.version(),
                    new Victim(
                            orphan.version(),
                            SweepReason.ORPHAN,
                            "it is mounted, and no version owns it",
                            bytes,
                            null,
                            orphan.manifest()));
        }

        private void holdToQuota(String namespace, long quota) {
            Optional<Long> taken =
                    survey.usage().map(UsageReport::roomBytes).map(rooms -> rooms.get(namespace));
            if (taken.isEmpty()) {
                return; // nothing is mounted, or a note names the agent that does not answer
            }
            List<Candidate> free =
                    candidates(
                            resident -> resident.version().dataset().namespace().equals(namespace));
            String why = "namespace %s has more than its %,d bytes".formatted(namespace, quota);
            // A copy that has lost all its chunks still counts for the quota, so it may be chosen.
            chosen(
                            free,
                            () -> staysTaken(namespace, taken.get()) <= quota,
                            version ->
                                    shares.filter(those -> those.isOwner(version)).isPresent()
                                            && freesNothingOfQuota(version))
                    .forEach(
                            (candidate, bytes) ->
                                    makeRoom(candidate, bytes, SweepReason.QUOTA, why));
            if (staysTaken(namespace, taken.get()) > quota) {
                notes.add(
                        "namespace %s stays above its quota of %,d bytes: what is left is held, being filled, or shared with such"
                                .formatted(namespace, quota));
            }
        }

        /**
         * Subtracts what the chosen copies free. During a fill this is a little less than the
         * capacity that they reserve.
         */
        private long staysTaken(String namespace, long taken) {
            return taken - freedOf.getOrDefault(namespace, 0L);
        }

        private void holdToWatermarks() {
            if (survey.usage().isEmpty()) {
                return;
            }
            UsageReport usage = survey.usage().get();
            if (!usage.unknown().isEmpty()) {
                notes.add(
                        "how full the region is, is not known: %s"
                                .formatted(String.join("; ", usage.unknown())));
                return;
            }
            if (usage.usedBytes() - freed <= watermarks.high() * usage.capacityBytes()) {
                return;
            }
            double target = watermarks.low() * usage.capacityBytes();
            Map<Candidate, Long> chosen =
                    chosen(
                            candidates(_ -> true),
                            () -> usage.usedBytes() - freed <= target,
                            this::freesNothing);
            if (usage.usedBytes() - freed > target) {
                notes.add(
                        "the region stays above its low watermark: what is left is held, being filled, or shared with such");
            }
            String why =
                    String.format(
                            Locale.ROOT,
                            "the region was %.1f %% full, its high watermark is %.1f %%",
                            100.0 * usage.usedBytes() / usage.capacityBytes(),
                            100 * watermarks.high());
            chosen.forEach(
                    (candidate, bytes) -> makeRoom(candidate, bytes, SweepReason.WATERMARK, why));
        }

        /**
         * Chooses copies in order until enough is free, with the bytes that each frees. Then drops
         * those that do not help, such as a copy that shares all its chunks with one that stays.
         */
        private Map<Candidate, Long> chosen(
                List<Candidate> free,
                BooleanSupplier isEnough,
                Predicate<DatasetVersion> isNoHelp) {
            Map<Candidate, Long> chosen = new LinkedHashMap<>();
            for (Candidate candidate : free) {
                if (isEnough.getAsBoolean()) {
                    break;
                }
                long bytes = freedBy(candidate.resident().version()).orElse(0L);
                freed += bytes;
                chosen.put(candidate, bytes);
            }
            chosen.keySet().removeIf(candidate -> isNoHelp.test(candidate.resident().version()));
            return chosen;
        }

        /**
         * Returns whether removing the version frees nothing. If it frees something, the version
         * stays removed.
         */
        private boolean freesNothing(DatasetVersion version) {
            if (shares.map(those -> those.restore(version)).orElse(0L) == 0) {
                ofQuota(version).ifPresent(own -> own.restore(version));
                return true;
            }
            shares.ifPresent(those -> those.remove(version));
            return false;
        }

        /**
         * As {@link #freesNothing}, for the quota of the namespace. A version that frees none of
         * the quota frees no capacity either.
         */
        private boolean freesNothingOfQuota(DatasetVersion version) {
            Optional<SharedBytes> own = ofQuota(version);
            if (own.map(those -> those.restore(version)).orElse(0L) == 0) {
                shares.ifPresent(those -> those.restore(version));
                return true;
            }
            own.ifPresent(those -> those.remove(version));
            return false;
        }

        private Optional<SharedBytes> ofQuota(DatasetVersion version) {
            return Optional.ofNullable(sharesOf.get(version.dataset().namespace()));
        }

        private void makeRoom(Candidate candidate, long bytes, SweepReason reason, String why) {
            Resident resident = candidate.resident();
            victims.put(
                    resident.version(),
                    new Victim(
                            resident.version(),
                            reason,
                            "%s; this was used last at %s".formatted(why, candidate.usedAt()),
                            bytes,
                            resident.residency().evictableAt(),
                            null));
        }

        private void add(Resident resident, SweepReason reason, String why) {
            long bytes = freedBy(resident.version()).orElse(resident.residency().bytesCached());
            freed += bytes;
            victims.putIfAbsent(
                    resident.version(),
                    new Victim(resident.version(), reason, why, bytes, null, null));
        }

        private Optional<Long> freedBy(DatasetVersion version) {
            Optional<Long> bytes = shares.map(those -> those.remove(version));
            ofQuota(version)
                    .map(own -> own.remove(version))
                    .ifPresent(
                            more -> freedOf.merge(version.dataset().namespace(), more, Long::sum));
            return bytes;
        }

        private List<Candidate> candidates(Predicate<Resident> wanted) {
            return survey.residents().stream()
                    .filter(wanted)
                    .filter(this::isFree)
                    .flatMap(
                            resident ->
                                    Optional.ofNullable(usedAt(resident)).stream()
                                            .map(at -> new Candidate(resident, at)))
                    .sorted(LEAST_RECENTLY_USED)
                    .toList();
        }

        private @Nullable Instant usedAt(Resident resident) {
            Instant held = resident.unusedSince();
            Instant read =
                    readAgo(resident.version()).map(ago -> survey.at().minus(ago)).orElse(null);
            return held == null || read == null || held.isAfter(read) ? held : read;
        }

        private Optional<Duration> readAgo(DatasetVersion version) {
            return Optional.ofNullable(mounted.get(version))
                    .map(UsageReport.Mounted::secondsSinceRead)
                    .map(Duration::ofSeconds);
        }

        /** Returns whether a copy is complete, unpinned, and not chosen yet. */
        private boolean isFree(Resident resident) {
            return resident.residency().state() == State.CACHED
                    && !isPinned(resident)
                    && stays(resident);
        }

        /**
         * Returns whether the catalogue or the region knows a pin. The catalogue alone is not
         * enough: other clocks than the one used here wrote the expiries there.
         */
        private boolean isPinned(Resident resident) {
            UsageReport.Mounted there = mounted.get(resident.version());
            return resident.pinned() || (there != null && there.pinned());
        }

        private boolean stays(Resident resident) {
            return !victims.containsKey(resident.version()) && !isLeaving(resident);
        }
    }

    private static String written(Duration duration) {
        return duration.toString().substring(2).toLowerCase(Locale.ROOT);
    }
}
