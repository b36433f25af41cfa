package dev.forebay.control.fsck;

import dev.forebay.control.regions.Regions;
import dev.forebay.control.regions.Regions.Reported;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ForebayException;
import dev.forebay.model.RegionName;
import dev.forebay.service.gateway.PinsReport.Held;
import dev.forebay.service.gateway.UsageReport.Mounted;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The contents of each region's etcd at one moment.
 *
 * @param said the answers, by region
 * @param silent the reasons of the regions that do not answer
 */
record RegionStates(SortedMap<String, Said> said, SortedMap<String, String> silent) {

    /**
     * The answer of a region.
     *
     * @param mounts the mount table
     * @param pins the live pins
     */
    record Said(
            RegionName region,
            Map<DatasetVersion, Mounted> mounts,
            Map<DatasetVersion, List<Held>> pins) {

        List<Held> pins(DatasetVersion version) {
            return pins.getOrDefault(version, List.of());
        }
    }

    /** Asks every region. A region whose etcd does not answer its agent counts as silent. */
    static RegionStates ask(Regions regions) {
        SortedMap<String, Said> said = new TreeMap<>();
        SortedMap<String, String> silent = new TreeMap<>();
        for (Reported reported : regions.reports()) {
            RegionName region = reported.name();
            try {
                if (reported.problem().isPresent()) {
                    silent.put(region.value(), reported.problem().get().message());
                } else {
                    said.put(region.value(), ask(regions, region));
                }
            } catch (ForebayException unanswered) {
                silent.put(region.value(), String.valueOf(unanswered.getMessage()));
            }
        }
        return new RegionStates(said, silent);
    }

    private static Said ask(Regions regions, RegionName region) {
        Map<DatasetVersion, Mounted> mounts =
                regions.usage(region).versions().stream()
                        .collect(Collectors.toMap(Mounted::version, Function.identity()));
        Map<DatasetVersion, List<Held>> pins =
                regions.pins(region).pins().stream()
                        .collect(
                                Collectors.groupingBy(
                                        Held::version, HashMap::new, Collectors.toList()));
        return new Said(region, mounts, pins);
    }
}
