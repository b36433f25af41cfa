package dev.forebay.control.fsck;

import dev.forebay.control.catalogue.DatasetCatalogue;
import dev.forebay.control.eviction.SweepRuns;
import dev.forebay.control.fsck.Finding.Kind;
import dev.forebay.control.fsck.Finding.State;
import dev.forebay.control.fsck.RegionStates.Said;
import dev.forebay.control.regions.Regions;
import dev.forebay.control.requests.VersionRequests;
import dev.forebay.control.temporal.TemporalCalls;
import dev.forebay.control.temporal.TemporalCalls.NoSuchRunException;
import dev.forebay.control.temporal.UpdateSender;
import dev.forebay.control.temporal.UpdateSender.Update;
import dev.forebay.control.temporal.VersionWorkflows;
import dev.forebay.lifecycle.Lifecycle;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.RegionName;
import dev.forebay.service.gateway.PinsReport.Held;
import dev.forebay.service.gateway.RegionSurvey.Missing;
import dev.forebay.service.gateway.UsageReport.Mounted;
import dev.forebay.thread.Pauses;
import dev.forebay.workflows.message.EnsureRequest;
import dev.forebay.workflows.message.EvictRequest;
import dev.forebay.workflows.message.PinGrant;
import dev.forebay.workflows.message.PinRequest;
import dev.forebay.workflows.message.Receipt;
import dev.forebay.workflows.message.Residency;
import dev.forebay.workflows.message.VersionStatus;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Compares what a version's workflow believes about a region with the region's etcd and workers.
 * Each repair is a request to the workflow, so no pinned byte is dropped. Thread-safe.
 */
@Singleton
class RegionCheck {

    /**
     * Restored pins get a lease within these bounds. The owner's renewal interval is unknown;
     * owners renew after a fraction of their lease.
     */
    private static final Duration SHORTEST_LEASE = Duration.ofHours(1);

    private static final Duration LONGEST_LEASE = Duration.ofDays(7);

    /** Retries until the workflow has mounted the version, because a pin needs a mount. */
    private static final int PIN_ATTEMPTS = 10;

    private static final Duration PIN_PAUSE = Duration.ofSeconds(1);

    private final Regions regions;
    private final DatasetCatalogue datasets;
    private final VersionRequests versions;
    private final VersionWorkflows workflows;
    private final UpdateSender updates;
    private final SweepRuns sweeps;
    private final TemporalCalls temporal;

    RegionCheck(
            Regions regions,
            DatasetCatalogue datasets,
            VersionRequests versions,
            VersionWorkflows workflows,
            UpdateSender updates,
            SweepRuns sweeps,
            TemporalCalls temporal) {
        this.regions = regions;
        this.datasets = datasets;
        this.versions = versions;
        this.workflows = workflows;
        this.updates = updates;
        this.sweeps = sweeps;
        this.temporal = temporal;
    }

    /** A version in a region, as its workflow believes and as the region reports. */
    private record Copy(
            VersionStatus believed,
            ManifestRef manifest,
            Said said,
            @Nullable Mounted mounted,
            List<Held> held) {

        DatasetVersion version() {
            return believed.version();
        }

        RegionName region() {
            return said.region();
        }

        Residency.State state() {
            return Lifecycle.residency(believed, region()).state();
        }

        List<PinGrant> pins() {
            return Lifecycle.pins(believed, region());
        }

        /** Returns whether the next sweep evicts the version, so that no repair is necessary. */
        boolean isExpired() {
            return pins().isEmpty()
                    && held.isEmpty()
                    && Lifecycle.isExpired(believed, region(), Instant.now());
        }

        RepairableFinding fault(
                Kind kind,
                String message,
                String remedy,
                RepairableFinding.@Nullable Repair repair) {
            return new RepairableFinding(kind, version(), region(), "", message, remedy, repair);
        }
    }

    /**
     * Returns the faults of a version in a region, in the order in which they are to be repaired.
     */
    List<RepairableFinding> of(VersionStatus believed, ManifestRef manifest, Said said) {
        DatasetVersion version = believed.version();
        Copy copy =
                new Copy(believed, manifest, said, said.mounts().get(version), said.pins(version));
        List<RepairableFinding> faults = new ArrayList<>(ofMount(copy));
        faults.addAll(ofPins(copy));
        return faults;
    }

    private List<RepairableFinding> ofMount(Copy copy) {
        Mounted mounted = copy.mounted();
        if (mounted == null) {
            return copy.state() == Residency.State.CACHED && !copy.isExpired()
                    ? List.of(unmounted(copy))
                    : List.of();
        }
        if (!mounted.manifest().digest().equals(copy.manifest().digest())) {
            return List.of(other(copy, mounted));
        }
        return switch (copy.state()) {
            case ABSENT -> List.of(stray(copy, mounted));
            case EVICTING -> List.of();
            case WARMING, BLOCKED -> mounted.evicting() ? List.of(leaving(copy)) : List.of();
            case CACHED ->
                    mounted.evicting()
                            ? List.of(leaving(copy))
                            : copy.isExpired() ? List.of() : incomplete(copy);
        };
    }

    private RepairableFinding unmounted(Copy copy) {
        return copy.fault(
                Kind.MOUNT_MISSING,
                "its workflow says CACHED, but the region's mount table does not have it",
                "its workflow mounts it again and fills the missing bytes",
                () -> proveAgain(copy));
    }

    private List<RepairableFinding> incomplete(Copy copy) {
        Missing missing = missing(copy);
        if (missing == null || missing.bytes() == 0) {
            return List.of();
        }
        return List.of(
                copy.fault(
                        Kind.BYTES_MISSING,
                        "its workflow says CACHED, but %d bytes of %d files are missing%s"
                                .formatted(
                                        missing.bytes(),
                                        missing.objects(),
                                        missing.exact()
                                                ? ""
                                                : ", according to the workers that answer"),
                        "its workflow fills the missing bytes",
                        () -> proveAgain(copy)));
    }

    private @Nullable Missing missing(Copy copy) {
        return regions.survey(copy.region(), copy.version(), copy.manifest()).missing();
    }

    private State proveAgain(Copy copy) {
        try {
            return temporal.call(
                    () -> {
                        workflows.upkeep(copy.version(), copy.region());
                        return State.UNDER_WAY;
                    });
        } catch (NoSuchRunException none) {
            throw new ForebayException(
                    ErrorCode.UNAVAILABLE, "its workflow is not running: run fsck again", none);
        }
    }

    private static RepairableFinding other(Copy copy, Mounted mounted) {
        return new RepairableFinding(
                Kind.MANIFEST_DIFFERS,
                copy.version(),
                copy.region(),
                "mount",
                "its manifest is %s in the catalogue, but the region has %s mounted"
                        .formatted(
                                copy.manifest().digest().abbreviated(),
                                mounted.manifest().digest().abbreviated()),
                "stop the jobs that read it there, then run 'forebay evict %s --region %s' and 'forebay ensure %s --region %s'"
                        .formatted(copy.version(), copy.region(), copy.version(), copy.region()),
                null);
    }

    /** Repairs only by an eviction, and not if the version is pinned or being filled again. */
    private RepairableFinding leaving(Copy copy) {
        boolean stays = !copy.pins().isEmpty() || copy.state() == Residency.State.WARMING;
        return copy.fault(
                Kind.EVICTION_STOPPED,
                "its workflow says %s%s, but the region's mount table says EVICTING"
                        .formatted(copy.state(), copy.pins().isEmpty() ? "" : " and pinned"),
                stays
                        ? "stop the jobs that read it there, release its pins, and run fsck again"
                        : "its workflow finishes the eviction",
                stays
                        ? null
                        : () -> {
                            var _ =
                                    updates.send(
                                            datasets.get(copy.version().dataset()),
                                            new Update<@Nullable Void>(
                                                    copy.version(),
                                                    "evict",
                                                    newId(),
                                                    Void.class,
                                                    new EvictRequest(
                                                            copy.region(),
                                                            "the region had started to evict it",
                                                            false)));
                            return State.UNDER_WAY;
                        });
    }

    /**
     * Lets the workflow adopt a copy that is pinned, or complete, so that no bytes are fetched
     * again. A sweep removes other copies, and unpinned ones of deleted datasets.
     */
    private RepairableFinding stray(Copy copy, Mounted mounted) {
        boolean stays = !mounted.evicting() && (!copy.held().isEmpty() || isWanted(copy));
        return copy.fault(
                Kind.MOUNT_UNKNOWN,
                "the region has it mounted, but its workflow does not know this",
                stays ? "its workflow takes the copy over" : "a sweep of the region removes it",
                stays ? () -> adopt(copy) : () -> sweep(copy.region()));
    }

    private boolean isWanted(Copy copy) {
        Missing missing = missing(copy);
        return datasets.get(copy.version().dataset()).deletedAt() == null
                && missing != null
                && missing.bytes() == 0;
    }

    private State adopt(Copy copy) {
        var _ =
                updates.start(
                        datasets.get(copy.version().dataset()),
                        new Update<>(
                                copy.version(),
                                "ensureCached",
                                newId(),
                                Receipt.class,
                                EnsureRequest.of(copy.region(), null)));
        return State.UNDER_WAY;
    }

    State sweep(RegionName region) {
        var _ = sweeps.run(region, Duration.ZERO);
        return State.UNDER_WAY;
    }

    private List<RepairableFinding> ofPins(Copy copy) {
        List<RepairableFinding> faults = new ArrayList<>();
        Set<String> known = copy.pins().stream().map(PinGrant::id).collect(Collectors.toSet());
        Set<String> there = copy.held().stream().map(Held::id).collect(Collectors.toSet());
        Instant now = Instant.now();
        // A pin protects nothing without a mount, unless the workflow is going to mount the
        // version.
        if (copy.mounted() != null || copy.state() != Residency.State.ABSENT) {
            copy.held().stream()
                    .filter(pin -> !known.contains(pin.id()))
                    .map(pin -> unknown(copy, pin))
                    .forEach(faults::add);
        }
        copy.pins().stream()
                .filter(pin -> !there.contains(pin.id()) && pin.expiresAt().isAfter(now))
                .map(pin -> lost(copy, pin))
                .forEach(faults::add);
        return faults;
    }

    private RepairableFinding unknown(Copy copy, Held pin) {
        return new RepairableFinding(
                Kind.PIN_UNKNOWN,
                copy.version(),
                copy.region(),
                pin.id(),
                "pin %s of %s is in the region's etcd, but its workflow does not know it"
                        .formatted(pin.id(), pin.holder()),
                "its workflow takes the pin over, for one lease",
                () ->
                        pin(
                                copy,
                                new PinRequest(
                                        copy.region(),
                                        pin.id(),
                                        pin.holder(),
                                        pin.reason(),
                                        Duration.ofSeconds(pin.leaseSeconds()),
                                        pin.job())));
    }

    private RepairableFinding lost(Copy copy, PinGrant pin) {
        return new RepairableFinding(
                Kind.PIN_MISSING,
                copy.version(),
                copy.region(),
                pin.id(),
                "its workflow knows pin %s of %s, but the region's etcd does not have it"
                        .formatted(pin.id(), pin.holder()),
                "takes the pin again for its remaining time, at least an hour",
                () ->
                        pin(
                                copy,
                                new PinRequest(
                                        copy.region(),
                                        pin.id(),
                                        pin.holder(),
                                        pin.reason(),
                                        left(pin),
                                        pin.job())));
    }

    private static Duration left(PinGrant pin) {
        Duration left =
                Duration.between(Instant.now(), pin.expiresAt()).truncatedTo(ChronoUnit.SECONDS);
        if (left.compareTo(SHORTEST_LEASE) < 0) {
            return SHORTEST_LEASE;
        }
        return left.compareTo(LONGEST_LEASE) > 0 ? LONGEST_LEASE : left;
    }

    private State pin(Copy copy, PinRequest request) {
        for (int attempt = 1; ; attempt++) {
            try {
                PinGrant _ = versions.pin(copy.version(), request);
                return State.REPAIRED;
            } catch (ForebayException e) {
                boolean mayBeMounted =
                        e.code() == ErrorCode.NOT_FOUND || e.code() == ErrorCode.UNAVAILABLE;
                if (!mayBeMounted || attempt == PIN_ATTEMPTS) {
                    throw e;
                }
            }
            Pauses.sleep(PIN_PAUSE);
        }
    }

    private static String newId() {
        return "fsck-" + UUID.randomUUID();
    }
}
