package dev.forebay.workflows.version;

import dev.forebay.lifecycle.Lifecycle;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ManifestRef;
import dev.forebay.workflows.SearchAttributes;
import dev.forebay.workflows.message.Residency.State;
import dev.forebay.workflows.message.VersionStatus;
import dev.forebay.workflows.state.VersionState;
import io.temporal.common.SearchAttributeKey;
import io.temporal.common.SearchAttributeUpdate;
import io.temporal.workflow.Workflow;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Shows a version in the Temporal UI by search attributes and current details. Refreshed when the
 * state changes and when a TTL ends.
 */
final class TemporalDisplay {

    private final VersionState state;
    private final ExpiryTimer nextExpiry = new ExpiryTimer();
    private @Nullable VersionStatus shown;

    TemporalDisplay(VersionState state) {
        this.state = state;
    }

    void refresh() {
        VersionStatus status = state.status();
        Instant now = VersionState.now();
        Workflow.setCurrentDetails(StatusMarkdown.of(status, now));
        List<SearchAttributeUpdate<?>> updates = changes(status, now);
        if (!updates.isEmpty()) {
            Workflow.upsertTypedSearchAttributes(updates.toArray(SearchAttributeUpdate<?>[]::new));
        }
        nextExpiry.set(Lifecycle.nextExpiry(status, now));
        shown = status;
    }

    /** Waits until the shown state is out of date or {@code done} holds. */
    void awaitChange(BooleanSupplier done) {
        Workflow.await(
                () -> !state.status().equals(shown) || nextExpiry.rings() || done.getAsBoolean());
    }

    private static List<SearchAttributeUpdate<?>> changes(VersionStatus status, Instant now) {
        DatasetVersion version = status.version();
        ManifestRef manifest = status.manifest();
        List<SearchAttributeUpdate<?>> changes = new ArrayList<>();
        add(changes, SearchAttributes.DATASET, version.dataset().toString());
        add(changes, SearchAttributes.VERSION, version.version());
        add(changes, SearchAttributes.NAMESPACE, version.dataset().namespace());
        add(changes, SearchAttributes.PINNED, !status.pins().isEmpty());
        List<String> regions = regions(status, now);
        add(changes, SearchAttributes.REGIONS, regions.isEmpty() ? null : regions);
        add(changes, SearchAttributes.BYTES, manifest == null ? null : manifest.bytes());
        return changes;
    }

    private static <T> void add(
            List<SearchAttributeUpdate<?>> changes, SearchAttributeKey<T> key, @Nullable T value) {
        if (!Objects.equals(Workflow.getTypedSearchAttributes().get(key), value)) {
            changes.add(value == null ? key.valueUnset() : key.valueSet(value));
        }
    }

    private static List<String> regions(VersionStatus status, Instant now) {
        return status.regions().stream()
                .filter(residency -> residency.state() != State.ABSENT)
                .map(
                        residency ->
                                residency.region()
                                        + ":"
                                        + StatusMarkdown.shownState(status, residency, now))
                .toList();
    }
}
