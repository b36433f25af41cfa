package dev.forebay.control.catalogue.reports;

import dev.forebay.control.catalogue.NeedsDatabase;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.message.Problem;
import io.quarkus.hibernate.orm.panache.Panache;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import java.util.List;

/**
 * Lists the versions that are BLOCKED in a region, across all datasets. Thread-safe. Every call is
 * one transaction.
 */
@ApplicationScoped
@NeedsDatabase
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

        /** Returns the place after which the next page begins. */
        public Place place() {
            return new Place(version.toString(), region.value());
        }
    }

    /** The place of an entry in the list, written as {@code namespace/name@version/region}. */
    public record Place(String version, String region) {

        /** The pattern of the text that {@link #parse} accepts. */
        public static final String PATTERN = "([!-.0-~]+(/[!-.0-~]+){2})?";

        /** Parses a place. An empty text is the place before all entries. */
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
     * Returns up to {@code limit} entries, ordered by version and region.
     *
     * @param after the place of the last entry of the page before
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
