package dev.forebay.control.catalogue;

import dev.forebay.model.RegionName;
import io.quarkus.hibernate.orm.panache.Panache;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The quotas of namespaces: how many bytes their versions may take in a region. Thread-safe. Every
 * call is one transaction.
 */
@ApplicationScoped
@NeedsDatabase
@Transactional
public class QuotaCatalogue {

    private static final String EVERYWHERE = "";

    private static final String ADD_NAMESPACE =
            "insert into namespace (name, created_at) values (:namespace, :now) on conflict do nothing";

    private static final String SET =
            """
            insert into quota (namespace, region, bytes) values (:namespace, :region, :bytes)
            on conflict (namespace, region) do update set bytes = :bytes
            """;

    private static final String REMOVE =
            "delete from quota where namespace = :namespace and region = :region";

    private static final String LIST =
            "select region, bytes from quota where namespace = :namespace order by region";

    private static final String FIND =
            """
            select bytes from quota where namespace = :namespace and region in ('', :region)
            order by region desc limit 1
            """;

    private static final String IN_REGION =
            """
            select distinct on (namespace) namespace, bytes from quota where region in ('', :region)
            order by namespace, region desc
            """;

    /**
     * A quota of a namespace.
     *
     * @param region null for the default, which applies in every region without a quota of its own
     */
    public record Quota(@Nullable RegionName region, long bytes) {}

    /** Sets the quota of a namespace in a region, or its default. */
    public void set(String namespace, Quota quota) {
        Panache.getSession()
                .createNativeMutationQuery(ADD_NAMESPACE)
                .setParameter("namespace", namespace)
                .setParameter("now", Instant.now())
                .executeUpdate();
        Panache.getSession()
                .createNativeMutationQuery(SET)
                .setParameter("namespace", namespace)
                .setParameter("region", column(quota.region()))
                .setParameter("bytes", quota.bytes())
                .executeUpdate();
    }

    /**
     * Removes the quota of a namespace in a region, or its default. Does nothing if there is none.
     */
    public void remove(String namespace, @Nullable RegionName region) {
        Panache.getSession()
                .createNativeMutationQuery(REMOVE)
                .setParameter("namespace", namespace)
                .setParameter("region", column(region))
                .executeUpdate();
    }

    /** Returns the quotas of a namespace, the default first. */
    public List<Quota> list(String namespace) {
        return Panache.getSession()
                .createNativeQuery(LIST, Object[].class)
                .setParameter("namespace", namespace)
                .getResultStream()
                .map(
                        row ->
                                new Quota(
                                        row[0].equals(EVERYWHERE)
                                                ? null
                                                : new RegionName((String) row[0]),
                                        ((Number) row[1]).longValue()))
                .toList();
    }

    /** Returns the quota of a namespace in a region, in bytes; null if it has no limit. */
    public @Nullable Long of(String namespace, RegionName region) {
        return Panache.getSession()
                .createNativeQuery(FIND, Long.class)
                .setParameter("namespace", namespace)
                .setParameter("region", region.value())
                .getResultStream()
                .findFirst()
                .orElse(null);
    }

    /**
     * Returns the quotas that apply in a region, in bytes, by namespace. Other namespaces have no
     * limit.
     */
    public Map<String, Long> in(RegionName region) {
        return Panache.getSession()
                .createNativeQuery(IN_REGION, Object[].class)
                .setParameter("region", region.value())
                .getResultStream()
                .collect(
                        Collectors.toMap(
                                row -> (String) row[0], row -> ((Number) row[1]).longValue()));
    }

    private static String column(@Nullable RegionName region) {
        return region == null ? EVERYWHERE : region.value();
    }
}
