package dev.forebay.control.explain;

import dev.forebay.control.catalogue.Tracking.LastCheck;
import dev.forebay.control.engine.RegionProgress;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.message.Happening;
import dev.forebay.workflows.message.PinGrant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a version in a region, and of the dataset beside it.
 *
 * @param progress how far the region is
 * @param pins those in this region
 * @param history what happened to it there, the latest first
 * @param newest the version of the dataset that was entered last
 * @param others the other versions of the dataset that are complete there
 * @param lastCheck the last comparison of the lake with the newest version; null if there was none
 */
public record Explanation(
        DatasetVersion version,
        RegionName region,
        RegionProgress progress,
        List<PinGrant> pins,
        List<Happening> history,
        DatasetVersion newest,
        List<DatasetVersion> others,
        @Nullable LastCheck lastCheck) {

    /** The last that happened of these kinds. */
    Optional<Happening> last(Happening.Kind... kinds) {
        List<Happening.Kind> wanted = List.of(kinds);
        return history.stream().filter(each -> wanted.contains(each.kind())).findFirst();
    }

    /** The last of a kind before something else happened. */
    Optional<Happening> lastBefore(Happening later, Happening.Kind... kinds) {
        List<Happening.Kind> wanted = List.of(kinds);
        return history.stream()
                .skip(history.indexOf(later) + 1L)
                .filter(each -> wanted.contains(each.kind()))
                .findFirst();
    }

    /** In words, a sentence each. */
    public List<String> sentences() {
        return new Wording(this).sentences();
    }
}
