package dev.forebay.control.catalogue;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.message.PinGrant;
import io.quarkus.hibernate.orm.panache.Panache;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The read model of pins, as workflows report them. The etcd of a region is authoritative.
 * Thread-safe. Every call is one transaction.
 */
@ApplicationScoped
@NeedsDatabase
@Transactional
public class PinCatalogue {

    private static final String COLUMNS =
            "select version, region, id, holder, reason, expires_at, job, taken_at from pin ";

    private static final String IN_ALL =
            COLUMNS
                    + """
                    where (version, region, id) > (:version, :region, :id)
                    order by version, region, id
                    """;

    private static final String IN_REGION =
            COLUMNS
                    + """
                    where region = :region and (version, id) > (:version, :id)
                    order by version, id
                    """;

    private static final String IDS = "select version, id from pin where region = :region";

    /** A pin and the version that it protects. */
    public record Held(DatasetVersion version, PinGrant pin) {

        /** Returns the place after which the next page begins. */
        public Place place() {
            return new Place(version.toString(), pin.region().value(), pin.id());
        }
    }

    /**
     * The place of a pin in the order of the table's key, written as {@code
     * namespace/name@version/region/id}.
     */
    public record Place(String version, String region, String id) {

        /** The pattern of the text that {@link #parse} accepts. */
        public static final String PATTERN = "([!-.0-~]+(/[!-.0-~]+){3})?";

        private static final Place FIRST = new Place("", "", "");

        /** Parses a place. An empty text is the place before all pins. */
        public static Place parse(String written) {
            if (written.isEmpty()) {
                return FIRST;
            }
            int id = written.lastIndexOf('/');
            int region = written.lastIndexOf('/', id - 1);
            return new Place(
                    written.substring(0, region),
                    written.substring(region + 1, id),
                    written.substring(id + 1));
        }

        @Override
        public String toString() {
            return version + "/" + region + "/" + id;
        }
    }

    /**
     * Returns up to {@code limit} pins, ordered by version, region and id.
     *
     * @param region if not null, only the pins of this region
     * @param after the place of the last pin of the page before
     */
    public List<Held> list(@Nullable RegionName region, Place after, int limit) {
        return Panache.getSession()
                .createNativeQuery(region == null ? IN_ALL : IN_REGION, Object[].class)
                .addScalar("version", String.class)
                .addScalar("region", String.class)
                .addScalar("id", String.class)
                .addScalar("holder", String.class)
                .addScalar("reason", String.class)
                .addScalar("expires_at", Instant.class)
                .addScalar("job", String.class)
                .addScalar("taken_at", Instant.class)
                .setParameter("version", after.version())
                .setParameter("region", region == null ? after.region() : region.value())
                .setParameter("id", after.id())
                .setMaxResults(limit)
                .getResultStream()
                .map(PinCatalogue::held)
                .toList();
    }

    /** Returns the ids of a region's pins by version. */
    public Map<DatasetVersion, Set<String>> ids(RegionName region) {
        return Panache.getSession()
                .createNativeQuery(IDS, Object[].class)
                .setParameter("region", region.value())
                .getResultStream()
                .collect(
                        Collectors.groupingBy(
                                row -> DatasetVersion.parse((String) row[0]),
                                Collectors.mapping(row -> (String) row[1], Collectors.toSet())));
    }

    private static Held held(Object[] row) {
        PinRow pin =
                new PinRow(
                        (String) row[1],
                        (String) row[2],
                        (String) row[3],
                        (String) row[4],
                        (Instant) row[5],
                        (String) row[6],
                        (Instant) row[7]);
        return new Held(DatasetVersion.parse((String) row[0]), pin.toGrant());
    }
}
