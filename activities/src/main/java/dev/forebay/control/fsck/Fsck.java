package dev.forebay.control.fsck;

import dev.forebay.control.catalogue.VersionCatalogue;
import dev.forebay.control.config.ControlPlaneConfig;
import dev.forebay.control.fsck.Finding.Kind;
import dev.forebay.control.fsck.Finding.State;
import dev.forebay.control.ingest.VersionPointers;
import dev.forebay.control.regions.Regions;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.RegionName;
import dev.forebay.thread.Pauses;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Compares the stores with each other, some versions at a time, in four phases:
 *
 * <ol>
 *   <li>pointers beside the manifests with the catalogue
 *   <li>each version of the catalogue with its pointer, manifest, workflow and regions
 *   <li>versions in regions that are not in the catalogue
 *   <li>on request, stored chunks with their checksums
 * </ol>
 *
 * <p>A version that the first phase restores is compared with the regions in the second.
 *
 * <p>Stores change during a check. A difference is a finding only if a second look after a pause
 * finds it again. Thread-safe.
 */
@Singleton
public class Fsck {

    private static final int ROWS = 100;

    /**
     * If this many versions at the start of a page cannot be compared, a store is probably down.
     */
    private static final int MOST_IN_VAIN = 3;

    private final VersionPointers pointers;
    private final VersionCatalogue versions;
    private final Regions regions;
    private final PointerCheck pointerCheck;
    private final VersionCheck versionCheck;
    private final OrphanVersionCheck strayCheck;
    private final ChunkCheck chunkCheck;
    private final ControlPlaneConfig.Fsck config;

    Fsck(
            VersionPointers pointers,
            VersionCatalogue versions,
            Regions regions,
            PointerCheck pointerCheck,
            VersionCheck versionCheck,
            OrphanVersionCheck strayCheck,
            ChunkCheck chunkCheck,
            ControlPlaneConfig config) {
        this.pointers = pointers;
        this.versions = versions;
        this.regions = regions;
        this.pointerCheck = pointerCheck;
        this.versionCheck = versionCheck;
        this.strayCheck = strayCheck;
        this.chunkCheck = chunkCheck;
        this.config = config.fsck();
    }

    /**
     * One page of findings.
     *
     * @param checked the number of versions of the catalogue that were compared
     * @param next the value of {@code after} for the next page; null at the end
     */
    public record Page(int checked, List<Finding> findings, @Nullable String next) {}

    private enum Phase {
        POINTERS,
        VERSIONS,
        REGIONS,
        CHUNKS
    }

    /**
     * The progress of a check.
     *
     * @param after the key or version that was compared last; empty at the beginning of a phase
     */
    private record Place(Phase phase, String after) {

        static Place parse(@Nullable String written) {
            if (written == null || written.isEmpty()) {
                return new Place(Phase.POINTERS, "");
            }
            for (Phase phase : Phase.values()) {
                String start = phase.name().toLowerCase(Locale.ROOT) + ":";
                if (written.startsWith(start)) {
                    return new Place(phase, written.substring(start.length()));
                }
            }
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "after '%s' must be the field next of a page".formatted(written));
        }

        @Override
        public String toString() {
            return phase.name().toLowerCase(Locale.ROOT) + ":" + after;
        }
    }

    /**
     * Something to compare. Its key is the progress of the check afterwards.
     *
     * @param version null if the key does not name a version
     */
    private record Item(
            String key,
            @Nullable DatasetVersion version,
            Function<RegionStates, List<RepairableFinding>> look) {

        /** Reports a failure as a fault, so that the check continues with other versions. */
        List<RepairableFinding> faults(RegionStates now) {
            try {
                return look.apply(now);
            } catch (ForebayException failed) {
                return List.of(
                        new RepairableFinding(
                                Kind.NOT_COMPARED,
                                version,
                                null,
                                key,
                                failed.code() + ": " + failed.getMessage(),
                                "correct the named problem, and run fsck again",
                                null));
            }
        }
    }

    /**
     * The items of the next page.
     *
     * @param next the place after all these items; null at the end
     */
    private record Stretch(List<Item> items, @Nullable Place next) {}

    /** An item with the faults that the first look found. */
    private record Suspicion(Item item, List<RepairableFinding> faults) {

        boolean isInVain() {
            return faults.getFirst().kind() == Kind.NOT_COMPARED;
        }
    }

    /**
     * Compares the next page of versions.
     *
     * @param after {@code next} of the page before; null for the first page
     * @param repair whether to repair faults
     * @param deep whether to verify the checksums of stored chunks
     * @throws ForebayException {@code UNAVAILABLE} if a store is down; {@code INVALID_ARGUMENT} if
     *     {@code after} is not {@code next} of a page
     */
    public Page check(FsckScope scope, @Nullable String after, boolean repair, boolean deep) {
        long until = System.nanoTime() + config.page().toNanos();
        Place place = Place.parse(after);
        if (place.phase == Phase.CHUNKS) {
            ChunkCheck.Page page = chunkCheck.check(scope, place.after, until);
            String next = page.next();
            return new Page(
                    0,
                    page.findings(),
                    next == null ? null : new Place(Phase.CHUNKS, next).toString());
        }
        RegionStates now = place.phase == Phase.POINTERS ? nowhere() : RegionStates.ask(regions);
        Stretch stretch = stretch(scope, place, now, deep);
        List<Suspicion> suspicions = new ArrayList<>();
        Place next = stretch.next;
        int looked = 0;
        for (Item item : stretch.items) {
            List<RepairableFinding> faults = item.faults(now);
            if (!faults.isEmpty()) {
                suspicions.add(new Suspicion(item, faults));
            }
            looked++;
            if (looked == MOST_IN_VAIN
                    && suspicions.stream().filter(Suspicion::isInVain).count() == MOST_IN_VAIN) {
                throw new ForebayException(
                        ErrorCode.UNAVAILABLE,
                        "cannot compare anything: " + faults.getFirst().message());
            }
            if (System.nanoTime() > until && looked < stretch.items.size()) {
                next = new Place(place.phase, item.key);
                break;
            }
        }
        List<Finding> findings = new ArrayList<>();
        if (place.phase != Phase.POINTERS) {
            now.silent().forEach((region, why) -> findings.add(silent(region, why)));
        }
        if (!suspicions.isEmpty()) {
            Pauses.sleep(config.settle());
            long again = System.nanoTime() + config.page().toNanos();
            RegionStates later = now;
            long asked = 0;
            Item last = suspicions.getFirst().item;
            for (Suspicion suspicion : suspicions) {
                if (System.nanoTime() > again) {
                    next = new Place(place.phase, last.key);
                    break;
                }
                // A repair takes time, and pins and mounts may change meanwhile.
                if (place.phase != Phase.POINTERS
                        && (asked == 0 || System.nanoTime() - asked > config.settle().toNanos())) {
                    later = RegionStates.ask(regions);
                    asked = System.nanoTime();
                }
                findings.addAll(settled(suspicion, later, repair));
                last = suspicion.item;
            }
        }
        return new Page(
                place.phase == Phase.VERSIONS ? looked : 0,
                findings,
                next == null ? null : next.toString());
    }

    private static RegionStates nowhere() {
        return new RegionStates(new TreeMap<>(), new TreeMap<>());
    }

    private Stretch stretch(FsckScope scope, Place place, RegionStates now, boolean deep) {
        return switch (place.phase) {
            case POINTERS -> pointers(scope, place.after);
            case VERSIONS -> versions(scope, place.after);
            case REGIONS ->
                    new Stretch(
                            strayCheck.strays(now, scope).stream()
                                    .filter(
                                            version ->
                                                    version.toString().compareTo(place.after) > 0)
                                    .map(version -> item(version, strayCheck::of))
                                    .toList(),
                            deep ? new Place(Phase.CHUNKS, "") : null);
            case CHUNKS -> throw new IllegalStateException("a chunk check has its own scope");
        };
    }

    private Stretch pointers(FsckScope scope, String after) {
        VersionPointers.Page page = pointers.list(scope.from(), after.isEmpty() ? null : after);
        String next = page.next();
        return new Stretch(
                page.keys().stream()
                        .filter(
                                key ->
                                        VersionPointers.version(key)
                                                .map(scope::contains)
                                                .orElse(scope.of().isEmpty()))
                        .map(
                                key ->
                                        new Item(
                                                key,
                                                VersionPointers.version(key).orElse(null),
                                                _ -> pointerCheck.ofPointer(key)))
                        .toList(),
                next == null ? new Place(Phase.VERSIONS, "") : new Place(Phase.POINTERS, next));
    }

    private Stretch versions(FsckScope scope, String after) {
        List<DatasetVersion> some = versions.names(scope.from(), scope.until(), after, ROWS);
        return new Stretch(
                some.stream().map(version -> item(version, versionCheck::of)).toList(),
                some.size() < ROWS
                        ? new Place(Phase.REGIONS, "")
                        : new Place(Phase.VERSIONS, some.getLast().toString()));
    }

    private static Item item(
            DatasetVersion version,
            BiFunction<DatasetVersion, RegionStates, List<RepairableFinding>> look) {
        return new Item(version.toString(), version, now -> look.apply(version, now));
    }

    /** Returns the faults that both looks found, repaired if requested. */
    private static List<Finding> settled(Suspicion suspicion, RegionStates now, boolean repair) {
        List<RepairableFinding> faults =
                suspicion.item.faults(now).stream()
                        .filter(fault -> suspicion.faults.stream().anyMatch(fault::isSame))
                        .toList();
        if (!repair) {
            return faults.stream().map(RepairableFinding::found).toList();
        }
        List<Finding> findings =
                new ArrayList<>(faults.stream().map(RepairableFinding::repaired).toList());
        boolean entered =
                findings.stream()
                        .anyMatch(
                                finding ->
                                        finding.kind() == Kind.VERSION_MISSING
                                                && finding.state() == State.REPAIRED);
        if (entered) {
            // A version can be compared only once it is in the catalogue.
            suspicion.item.faults(now).stream()
                    .map(RepairableFinding::repaired)
                    .forEach(findings::add);
        }
        return findings;
    }

    private static Finding silent(String region, String why) {
        return new Finding(
                Kind.REGION_SILENT,
                null,
                new RegionName(region),
                why,
                "check that the region's agent and etcd answer, and run fsck again",
                State.BY_HAND,
                null);
    }
}
