package dev.forebay.control.catalogue;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.message.Problem;
import io.quarkus.hibernate.orm.panache.Panache;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import java.util.List;

/**
 * What is BLOCKED, in all datasets, for looking up. Safe for use by many threads; every call is one
 * transaction.
 */
@ApplicationScoped
@Stored
@Transactional
public class BlockedCatalogue {

    private static final String LIST =
            """
            select version, region, coalesce(blocked_code, 'INTERNAL'), coalesce(blocked_message, '') from residency
            where state = 'BLOCKED' and (version, region) > (:version, :region)
            order by version, region
            """;

    /** A version that is BLOCKED in a region. */
    public record BlockedVersion(DatasetVersion version, RegionName region, Problem problem) {

        /** What a next page begins after. */
        public Place place() {
            return new Place(version.toString(), region.value());
        }
    }

    /** Where that is in the order of all, written as {@code namespace/name@version/region}. */
    public record Place(String version, String region) {

        /** What {@link #parse} accepts. */
        public static final String PATTERN = "([!-.0-~]+(/[!-.0-~]+){2})?";

        /** The place that is written so; that before all others, if nothing is. */
        public static Place parse(String written) {
            int region = written.lastIndexOf('/');
            return region < 0
                    ? new Place("", "")
                    : new Place(written.substring(0, region), written.substring(region + 1));
        }

        @Override
        public String toString() {
            return version + "/" + region;
        }
    }

    /**
     * Up to {@code limit} by version and region.
     *
     * @param after the place of the one before
     */
    public List<BlockedVersion> list(Place after, int limit) {
        return Panache.getSession()
                .createNativeQuery(LIST, Object[].class)
                .setParameter("version", after.version())
                .setParameter("region", after.region())
                .setMaxResults(limit)
                .getResultStream()
                .map(
                        row ->
                                new BlockedVersion(
                                        DatasetVersion.parse((String) row[0]),
                                        new RegionName((String) row[1]),
                                        new Problem(
                                                ErrorCode.named((String) row[2]), (String) row[3])))
                .toList();
    }
}
