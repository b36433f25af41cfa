package dev.forebay.control.catalogue.reports;

import dev.forebay.control.catalogue.NeedsDatabase;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.message.Residency;
import io.quarkus.hibernate.orm.panache.Panache;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Counts versions, bytes and pins by region, as workflows last reported them. Thread-safe. Every
 * call is one transaction.
 */
@ApplicationScoped
@NeedsDatabase
@Transactional
public class FigureCatalogue {

    private static final String RESIDENCIES =
            """
            select region, state, count(*), cast(sum(bytes_cached) as bigint) from residency
            where state <> 'ABSENT' group by region, state
            """;

    private static final String PINS =
            "select region, count(*) from pin where expires_at > now() group by region";

    /** Uses only the clock of the database, which also wrote {@code changed_at}. */
    private static final String UNCHANGED =
            """
            select region, cast(extract(epoch from max(now() - changed_at)) as double precision) from residency
            where state = 'WARMING' and filling_since is not null group by region
            """;

    /**
     * The versions that are in one state in a region.
     *
     * @param bytes the bytes of all of them that are in the region
     */
    public record InState(RegionName region, Residency.State state, long versions, long bytes) {}

    /** Returns the versions and bytes by region and state, except ABSENT. */
    public List<InState> residencies() {
        return rows(RESIDENCIES).stream()
                .map(
                        row ->
                                new InState(
                                        new RegionName((String) row[0]),
                                        Residency.State.valueOf((String) row[1]),
                                        ((Number) row[2]).longValue(),
                                        ((Number) row[3]).longValue()))
                .toList();
    }

    /** Returns the number of live pins in each region that has any. */
    public Map<RegionName, Long> pins() {
        return rows(PINS).stream()
                .collect(
                        Collectors.toMap(
                                row -> new RegionName((String) row[0]),
                                row -> ((Number) row[1]).longValue()));
    }

    /**
     * Returns, for each region with a running fill, the longest time that a fill has reported no
     * progress. Versions that wait for capacity or for their listing do not count.
     */
    public Map<RegionName, Duration> unchanged() {
        return rows(UNCHANGED).stream()
                .collect(
                        Collectors.toMap(
                                row -> new RegionName((String) row[0]),
                                row -> Duration.ofSeconds((long) ((Number) row[1]).doubleValue())));
    }

    private static List<Object[]> rows(String sql) {
        return Panache.getSession().createNativeQuery(sql, Object[].class).getResultList();
    }
}
