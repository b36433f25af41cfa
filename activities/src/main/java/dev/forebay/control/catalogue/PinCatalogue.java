package dev.forebay.control.catalogue;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.message.PinGrant;
import io.quarkus.hibernate.orm.panache.Panache;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The pins that workflows believe in, for looking up. The region's etcd is the truth about them.
 * Safe for use by many threads; every call is one transaction.
 */
@ApplicationScoped
@Stored
@Transactional
public class PinCatalogue {

    private static final String BY_REGION =
            """
            select v.id, p from VersionEntity v join v.pins p
            where (:region is null or p.region = :region)
              and concat(v.id, '/', p.region, '/', p.id) > :after
            order by concat(v.id, '/', p.region, '/', p.id)
            """;

    /** A pin and what it holds. */
    public record Held(DatasetVersion version, PinGrant pin) {

        /** What a next page begins after. */
        public String cursor() {
            return version + "/" + pin.region() + "/" + pin.id();
        }
    }

    /**
     * Up to {@code limit} pins by version, region and id.
     *
     * @param region only those of this one, if given
     * @param after the cursor of the pin before, or empty
     */
    public List<Held> list(@Nullable RegionName region, String after, int limit) {
        return Panache.getEntityManager()
                .createQuery(BY_REGION, Object[].class)
                .setParameter("region", region == null ? null : region.value())
                .setParameter("after", after)
                .setMaxResults(limit)
                .getResultStream()
                .map(
                        row ->
                                new Held(
                                        DatasetVersion.parse((String) row[0]),
                                        ((PinRow) row[1]).toGrant()))
                .toList();
    }
}
