package dev.forebay.control.catalogue;

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
 * How much of everything there is in each region, as workflows said last. Safe for use by many
 * threads; every call is one transaction.
 */
@ApplicationScoped
@Stored
@Transactional
public class FigureCatalogue {

    private static final String RESIDENCIES =
            """
            select region, state, count(*), cast(sum(bytes_cached) as bigint) from residency
            where state <> 'ABSENT' group by region, state
            """;

    private static final String PINS =
            "select region, count(*) from pin where expires_at > now() group by region";

    /** By the clock of the database alone, which also wrote the rows. */
    private static final String UNCHANGED =
            """
            select region, cast(extract(epoch from max(now() - changed_at)) as double precision) from residency
            where state = 'WARMING' and filling_since is not null group by region
            """;

    /**
     * The versions that are in one state in a region.
     *
     * @param bytes what is there of all of them
     */
    public record InState(RegionName region, Residency.State state, long versions, long bytes) {}

    /** The versions of which regions have something, or have tried to, by region and state. */
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

    /** How many pins there are in each region that has some. */
    public Map<RegionName, Long> pins() {
        return rows(PINS).stream()
                .collect(
                        Collectors.toMap(
                                row -> new RegionName((String) row[0]),
                                row -> ((Number) row[1]).longValue()));
    }

    /**
     * For how long the filling of which least is heard has not got on, in each region in which
     * something is being filled; versions that wait for room, or are being listed, do not count.
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
