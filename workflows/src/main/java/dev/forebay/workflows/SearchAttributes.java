package dev.forebay.workflows;

import io.temporal.common.SearchAttributeKey;
import java.util.List;

/**
 * The custom search attributes of a version's workflow. They must exist in the Temporal namespace
 * before the first workflow starts: the control plane registers {@link #ALL}.
 */
public final class SearchAttributes {

    /** {@code namespace/name}. */
    public static final SearchAttributeKey<String> DATASET =
            SearchAttributeKey.forKeyword("ForebayDataset");

    /** The version's own name. */
    public static final SearchAttributeKey<String> VERSION =
            SearchAttributeKey.forKeyword("ForebayVersion");

    /** The dataset's namespace. */
    public static final SearchAttributeKey<String> NAMESPACE =
            SearchAttributeKey.forKeyword("ForebayNamespace");

    /**
     * {@code region:STATE} for each region that holds a part of the version. The state is a {@link
     * dev.forebay.workflows.message.Residency.State}, or EXPIRED for a version that is CACHED and
     * whose TTL has ended.
     */
    public static final SearchAttributeKey<List<String>> REGIONS =
            SearchAttributeKey.forKeywordList("ForebayRegions");

    /** Whether a pin is alive in any region. */
    public static final SearchAttributeKey<Boolean> PINNED =
            SearchAttributeKey.forBoolean("ForebayPinned");

    /** The size of the version in bytes, once it is ingested. */
    public static final SearchAttributeKey<Long> BYTES = SearchAttributeKey.forLong("ForebayBytes");

    /** All keys above, for their registration. */
    public static final List<SearchAttributeKey<?>> ALL =
            List.of(DATASET, VERSION, NAMESPACE, REGIONS, PINNED, BYTES);

    private SearchAttributes() {}
}
