package dev.forebay.control.eviction;

import dev.forebay.control.catalogue.Resident;
import dev.forebay.model.RegionName;
import dev.forebay.service.gateway.UsageReport;
import dev.forebay.service.space.SharedBytes.Share;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The state of a region on which a sweep decides.
 *
 * @param at when it was read
 * @param residents the versions of the region according to the catalogue
 * @param usage the answer of the region's agent; empty if it does not answer
 * @param orphans mounted versions that no workflow owns
 * @param quotas the quotas of namespaces in bytes; a namespace without an entry has no limit
 * @param reserved the space of mounted versions by owners; empty if no namespace exceeds its quota
 * @param worth what the residents are worth
 * @param notes what could not be read, for users
 */
public record SweepSurvey(
        RegionName region,
        Instant at,
        List<Resident> residents,
        Optional<UsageReport> usage,
        List<UsageReport.Mounted> orphans,
        Map<String, Long> quotas,
        List<Share> reserved,
        VersionWorth worth,
        List<String> notes) {}
