package dev.forebay.control.engine;

import dev.forebay.control.sweep.Shares;
import dev.forebay.model.DatasetVersion;
import dev.forebay.service.gateway.RegionSurvey;
import dev.forebay.service.gateway.RegionSurvey.Relatives;
import dev.forebay.service.gateway.RegionSurvey.Resident;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What of a region's room comes back with whom. */
final class RoomShares {

    private RoomShares() {}

    /**
     * As the region says; a version of which it does not say that it shares anything has its room
     * to itself.
     */
    static List<Shares.Share> of(RegionSurvey survey) {
        Set<String> related =
                survey.relatives().stream()
                        .flatMap(each -> each.versions().stream())
                        .collect(Collectors.toSet());
        return Stream.concat(
                        survey.relatives().stream().flatMap(RoomShares::of),
                        survey.residents().stream()
                                .filter(each -> !related.contains(each.version()))
                                .map(RoomShares::of))
                .toList();
    }

    /**
     * The same as its namespace is concerned, whose quota gets back what its own versions give up,
     * though others keep it in the region.
     */
    static List<Shares.Share> of(RegionSurvey survey, String namespace) {
        return of(survey).stream()
                .map(share -> share.among(each -> each.dataset().namespace().equals(namespace)))
                .filter(share -> !share.owners().isEmpty())
                .toList();
    }

    private static Stream<Shares.Share> of(Relatives relatives) {
        List<DatasetVersion> versions =
                relatives.versions().stream().map(DatasetVersion::parse).toList();
        return relatives.shares().stream()
                .map(
                        share ->
                                new Shares.Share(
                                        share.owners().stream().map(versions::get).toList(),
                                        share.bytes()));
    }

    private static Shares.Share of(Resident resident) {
        return new Shares.Share(
                List.of(DatasetVersion.parse(resident.version())), resident.roomBytes());
    }
}
