package dev.forebay.control.sweep;

import dev.forebay.control.catalogue.Resident;
import dev.forebay.model.RegionName;
import dev.forebay.service.gateway.UsageReport;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What is known of a region when a sweep decides.
 *
 * @param at when it was looked at
 * @param residents what the catalogue says that it holds
 * @param usage what its agent says; empty if that does not answer
 * @param orphans what is mounted there and owned by no version
 * @param quotas how many bytes namespaces may have there; one that is not named has no limit
 * @param notes what could not be looked at, for people
 */
public record Survey(
        RegionName region,
        Instant at,
        List<Resident> residents,
        Optional<UsageReport> usage,
        List<UsageReport.Mounted> orphans,
        Map<String, Long> quotas,
        List<String> notes) {}
