package dev.forebay.control.engine;

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
 * Counts the objects of a listing that must be restored before they can be read. For one thread at
 * a time.
 */
final class ArchivedObjects {

    private final Set<String> classes;
    private long count;
    private @Nullable LakeObject first;

    /**
     * @param classes in which objects are archived
     */
    ArchivedObjects(Optional<List<String>> classes) {
        this.classes = Set.copyOf(classes.orElse(List.of()));
    }

    /** Takes an object that belongs to a source. One without bytes is never read. */
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
     * Refuses the source if any was archived.
     *
     * @throws ForebayException {@code LAKE_DENIED}, with how many were found and the first of them
     */
    void requireNone(LakeSource source) {
        if (first != null) {
            throw new ForebayException(
                    ErrorCode.LAKE_DENIED,
                    "%s has archived objects: %d found, the first is s3://%s/%s (%s). Restore them, or register another dataset that leaves them out with --exclude PATTERN; a class whose objects can be read at once does not belong to forebay.ingest.archive-classes"
                            .formatted(
                                    source.describe(),
                                    count,
                                    source.bucket(),
                                    ShownText.of(first.key()),
                                    first.storageClass()));
        }
    }
}
