package dev.forebay.control.ingest;

import dev.forebay.control.catalogue.LakeSource;
import dev.forebay.lake.LakeObject;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ShownText;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Counts the objects of a listing that must be restored before they can be read. Not thread-safe.
 */
final class ArchivedObjects {

    private final Set<String> classes;
    private long count;
    private @Nullable LakeObject first;

    /**
     * @param classes the storage classes and tiers of archived objects
     */
    ArchivedObjects(Optional<List<String>> classes) {
        this.classes = Set.copyOf(classes.orElse(List.of()));
    }

    /** Adds an object of the source. Ignores empty objects, because Forebay never reads them. */
    void add(LakeObject object) {
        String its = object.storageClass();
        if (its != null && object.size() > 0 && classes.contains(its)) {
            count++;
            if (first == null) {
                first = object;
            }
        }
    }

    /**
     * Refuses the source if it has archived objects.
     *
     * @throws ForebayException {@code LAKE_DENIED}, with the number of archived objects and the
     *     first one
     */
    void requireNone(LakeSource source) {
        if (first != null) {
            throw new ForebayException(
                    ErrorCode.LAKE_DENIED,
                    "%s has %d archived objects, the first is s3://%s/%s (%s). Restore them, or register another dataset that excludes them with --exclude PATTERN. If objects of this class can be read at once, remove the class from forebay.ingest.archive-classes"
                            .formatted(
                                    source.describe(),
                                    count,
                                    source.bucket(),
                                    ShownText.of(first.key()),
                                    first.storageClass()));
        }
    }
}
