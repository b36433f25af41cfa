package dev.forebay.workflows.version;

import dev.forebay.lifecycle.VersionEvent.HandedOut;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.Failures;
import dev.forebay.workflows.activity.RegionActivities.Coverage;
import dev.forebay.workflows.message.PinGrant;
import dev.forebay.workflows.message.Problem;
import dev.forebay.workflows.message.Receipt;
import dev.forebay.workflows.message.Residency;
import dev.forebay.workflows.message.Residency.State;
import dev.forebay.workflows.state.VersionState;
import io.temporal.workflow.Workflow;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Creates receipts. A receipt of a complete copy without a pin starts the time to live again. */
final class Receipts {

    private final VersionState state;

    Receipts(VersionState state) {
        this.state = state;
    }

    /** Returns the receipt of a region that is CACHED and proven complete. */
    Receipt ofAll(RegionName region, @Nullable PinGrant pin) {
        Residency residency = state.residency(region);
        if (state.status().manifest() == null
                || residency.path() == null
                || residency.cachedAt() == null) {
            throw Failures.refusal(
                    ErrorCode.INTERNAL, "CACHED in %s without a manifest".formatted(region));
        }
        if (pin == null) {
            state.apply(new HandedOut(region, VersionState.now()));
        }
        return of(
                residency,
                residency.bytesCached(),
                residency.bytesFromLake(),
                residency.bytesFromSiblings(),
                pin,
                null);
    }

    /** Returns the receipt of a region that holds enough of the version. */
    Receipt ofPart(RegionName region, Coverage there, @Nullable PinGrant pin) {
        Residency residency = state.residency(region);
        long fromLake = Math.max(residency.bytesFromLake(), there.bytesFromLake());
        long fromSiblings = Math.max(residency.bytesFromSiblings(), there.bytesFromSiblings());
        return of(residency, there.bytesVerified(), fromLake, fromSiblings, pin, null);
    }

    /**
     * Returns the receipt of a region that missed the deadline.
     *
     * @param there the region's answer of this moment; without it, the last report of the fill
     *     counts
     */
    Receipt cold(
            RegionName region,
            Optional<Coverage> there,
            @Nullable PinGrant pin,
            @Nullable Duration timeout) {
        Residency residency = state.residency(region);
        long verified = there.map(Coverage::bytesVerified).orElse(residency.bytesCached());
        return of(
                residency,
                verified,
                residency.bytesFromLake(),
                there.map(Coverage::bytesFromSiblings).orElse(residency.bytesFromSiblings()),
                pin,
                new Problem(ErrorCode.DEADLINE_EXCEEDED, lateness(residency, verified, timeout)));
    }

    private Receipt of(
            Residency residency,
            long bytesVerified,
            long bytesFromLake,
            long bytesFromSiblings,
            @Nullable PinGrant pin,
            @Nullable Problem cold) {
        ManifestRef manifest = state.status().manifest();
        return new Receipt(
                state.version(),
                manifest == null ? null : manifest.digest(),
                manifest == null ? 0 : manifest.objects(),
                manifest == null ? 0 : manifest.bytes(),
                residency.region(),
                bytesVerified,
                bytesFromLake,
                bytesFromSiblings,
                residency.path(),
                residency.cachedAt(),
                pin,
                Workflow.getInfo().getWorkflowId(),
                cold,
                List.of());
    }

    private String lateness(Residency residency, long verified, @Nullable Duration timeout) {
        ManifestRef manifest = state.status().manifest();
        long seconds = timeout == null ? 0 : timeout.toSeconds();
        return String.format(
                Locale.ROOT,
                "%s was not present in %s within %d s: %s; %s. For the reason, run 'forebay "
                        + "explain %s --region %s'",
                state.version(),
                residency.region(),
                seconds,
                manifest == null
                        ? "its objects are not listed yet"
                        : String.format(
                                Locale.ROOT,
                                "%,d of its %,d bytes are present and verified",
                                verified,
                                manifest.bytes()),
                stage(residency, manifest),
                state.version(),
                residency.region());
    }

    private static String stage(Residency residency, @Nullable ManifestRef manifest) {
        if (manifest == null) {
            return "the listing of the lake is still running";
        }
        if (residency.state() == State.EVICTING) {
            return "an eviction there is still running";
        }
        if (residency.state() == State.CACHED) {
            return "its workers did not confirm in time that they hold it, or could not pin it";
        }
        return residency.path() == null
                ? "the region has not started the fill yet"
                : "its fill continues";
    }
}
