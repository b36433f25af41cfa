package dev.forebay.control.explain;

import dev.forebay.control.catalogue.tracking.Tracking.LastCheck;
import dev.forebay.control.progress.RegionProgress;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.message.HistoryEntry;
import dev.forebay.workflows.message.PinGrant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The facts about a version in a region, and about its dataset.
 *
 * @param progress the progress of the region
 * @param pins the pins in this region
 * @param history the events of the version in this region, the latest first
 * @param newest the version of the dataset that was frozen last; {@code version} if none is frozen
 * @param others the other versions of the dataset that are complete in the region
 * @param lastCheck the last comparison of the lake with the newest version; null if there was none
 */
public record Explanation(
        DatasetVersion version,
        RegionName region,
        RegionProgress progress,
        List<PinGrant> pins,
        List<HistoryEntry> history,
        DatasetVersion newest,
        List<DatasetVersion> others,
        @Nullable LastCheck lastCheck) {

    /** Returns the last event of these kinds. */
    Optional<HistoryEntry> last(HistoryEntry.Kind... kinds) {
        List<HistoryEntry.Kind> wanted = List.of(kinds);
        return history.stream().filter(each -> wanted.contains(each.kind())).findFirst();
    }

    /** Returns the last event of these kinds before another event. */
    Optional<HistoryEntry> lastBefore(HistoryEntry later, HistoryEntry.Kind... kinds) {
        List<HistoryEntry.Kind> wanted = List.of(kinds);
        return history.stream()
                .skip(history.indexOf(later) + 1L)
                .filter(each -> wanted.contains(each.kind()))
                .findFirst();
    }

    /** Returns the explanation as English sentences. */
    public List<String> sentences() {
        return new ExplanationText(this).sentences();
    }
}
