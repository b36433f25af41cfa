package dev.forebay.control.eviction;

import dev.forebay.model.DatasetVersion;
import dev.forebay.service.gateway.RegionSurvey;
import dev.forebay.service.gateway.RegionSurvey.Relatives;
import dev.forebay.service.gateway.RegionSurvey.Resident;
import dev.forebay.service.gateway.UsageReport;
import dev.forebay.service.gateway.UsageReport.Mounted;
import dev.forebay.service.space.SharedBytes.Share;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Converts the reports of an agent into shares: which bytes become free with which versions. */
final class SurveyShares {

    private SurveyShares() {}

    /**
     * Returns the space that versions take. A version without reported relatives owns its space
     * alone.
     */
    static List<Share> of(RegionSurvey survey) {
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

    /** Returns the bytes of chunks in the stores. */
    static List<Share> of(UsageReport usage) {
        List<DatasetVersion> versions = usage.versions().stream().map(Mounted::version).toList();
        return usage.shares().stream()
                .map(share -> share(versions, share.owners(), share.bytes()))
                .toList();
    }

    private static Stream<Share> of(Relatives relatives) {
        List<DatasetVersion> versions =
                relatives.versions().stream().map(DatasetVersion::parse).toList();
        return relatives.shares().stream()
                .map(share -> share(versions, share.owners(), share.bytes()));
    }

    private static Share share(List<DatasetVersion> versions, List<Integer> owners, long bytes) {
        return new Share(owners.stream().map(versions::get).toList(), bytes);
    }

    private static Share of(Resident resident) {
        return new Share(List.of(DatasetVersion.parse(resident.version())), resident.spaceBytes());
    }
}
