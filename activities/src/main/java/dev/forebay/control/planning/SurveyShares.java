package dev.forebay.control.planning;

import dev.forebay.control.eviction.SharedBytes;
import dev.forebay.model.DatasetVersion;
import dev.forebay.service.gateway.RegionSurvey;
import dev.forebay.service.gateway.RegionSurvey.Relatives;
import dev.forebay.service.gateway.RegionSurvey.Resident;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Converts a region's survey into shares: which bytes become free with which versions. */
final class SurveyShares {

    private SurveyShares() {}

    /**
     * Returns the shares that the region reports. A version without reported relatives owns its
     * capacity alone.
     */
    static List<SharedBytes.Share> of(RegionSurvey survey) {
        Set<String> related =
                survey.relatives().stream()
                        .flatMap(each -> each.versions().stream())
                        .collect(Collectors.toSet());
        return Stream.concat(
                        survey.relatives().stream().flatMap(SurveyShares::of),
                        survey.residents().stream()
                                .filter(each -> !related.contains(each.version()))
                                .map(SurveyShares::of))
                .toList();
    }

    /**
     * Returns the shares for the quota of a namespace. The quota regains what its own versions
     * free, even if other namespaces keep the chunks in the region.
     */
    static List<SharedBytes.Share> of(RegionSurvey survey, String namespace) {
        return of(survey).stream()
                .map(share -> share.among(each -> each.dataset().namespace().equals(namespace)))
                .filter(share -> !share.owners().isEmpty())
                .toList();
    }

    private static Stream<SharedBytes.Share> of(Relatives relatives) {
        List<DatasetVersion> versions =
                relatives.versions().stream().map(DatasetVersion::parse).toList();
        return relatives.shares().stream()
                .map(
                        share ->
                                new SharedBytes.Share(
                                        share.owners().stream().map(versions::get).toList(),
                                        share.bytes()));
    }

    private static SharedBytes.Share of(Resident resident) {
        return new SharedBytes.Share(
                List.of(DatasetVersion.parse(resident.version())), resident.roomBytes());
    }
}
