package dev.forebay.control.fsck;

import dev.forebay.control.fsck.Finding.Kind;
import dev.forebay.control.fsck.Finding.State;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ForebayException;
import dev.forebay.model.RegionName;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A finding with its repair.
 *
 * @param subject distinguishes faults of the same kind, version and region, for example by the id
 *     of a pin
 * @param repair null if an operator has to repair it
 */
record RepairableFinding(
        Kind kind,
        @Nullable DatasetVersion version,
        @Nullable RegionName region,
        String subject,
        String message,
        String remedy,
        @Nullable Repair repair) {

    /** Repairs a fault, or lets a workflow repair it. */
    @FunctionalInterface
    interface Repair {

        /**
         * Returns REPAIRED or UNDER_WAY.
         *
         * @throws ForebayException if the repair failed
         */
        State run();
    }

    /** Returns what a person does about a version to which two stores give different manifests. */
    static String remedyOfTwoManifests(DatasetVersion version) {
        return "stop the jobs that read it, then run 'forebay freeze %s@NEW', and 'forebay evict %s --region REGION' for each of its regions"
                .formatted(version.dataset(), version);
    }

    /** Returns whether two checks found the same fault. */
    boolean isSame(RepairableFinding other) {
        return kind == other.kind
                && Objects.equals(version, other.version)
                && Objects.equals(region, other.region)
                && subject.equals(other.subject);
    }

    /** Returns the finding without a repair. */
    Finding found() {
        return finding(repair == null ? State.BY_HAND : State.REPAIRABLE, null);
    }

    /** Runs the repair, if there is one, and returns the finding with its result. */
    Finding repaired() {
        if (repair == null) {
            return found();
        }
        try {
            return finding(repair.run(), null);
        } catch (ForebayException failed) {
            return finding(State.FAILED, failed.code() + ": " + failed.getMessage());
        }
    }

    private Finding finding(State state, @Nullable String problem) {
        return new Finding(kind, version, region, message, remedy, state, problem);
    }
}
