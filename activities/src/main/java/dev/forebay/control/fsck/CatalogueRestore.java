package dev.forebay.control.fsck;

import dev.forebay.control.catalogue.Dataset;
import dev.forebay.control.catalogue.DatasetCatalogue;
import dev.forebay.control.catalogue.VersionCatalogue;
import dev.forebay.control.ingest.VersionPointers;
import dev.forebay.control.ingest.VersionPointers.Pointer;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Restores the datasets and versions of a lost catalogue from the pointers beside the manifests.
 * Changes no existing rows, so it may run at any time, and repeatedly. Thread-safe.
 */
@Singleton
public class CatalogueRestore {

    private final VersionPointers pointers;
    private final DatasetCatalogue datasets;
    private final VersionCatalogue versions;

    CatalogueRestore(
            VersionPointers pointers, DatasetCatalogue datasets, VersionCatalogue versions) {
        this.pointers = pointers;
        this.datasets = datasets;
        this.versions = versions;
    }

    /**
     * The result of restoring one page.
     *
     * @param restored the number of versions that were missing
     * @param unchanged the number of versions that the catalogue has
     * @param problems one message for each version that could not be restored
     * @param next the value of {@code after} for the next page; null at the end
     */
    public record Restored(
            int restored, int unchanged, List<String> problems, @Nullable String next) {}

    /**
     * Restores the next page of versions.
     *
     * @param after {@code next} of the page before; null for the first page
     */
    public Restored restore(@Nullable String after) {
        VersionPointers.Page page = pointers.list(after);
        int restored = 0;
        List<String> problems = new ArrayList<>();
        for (String key : page.keys()) {
            try {
                Optional<Pointer> pointer = read(key, problems);
                restored += pointer.isPresent() && restore(pointer.get()) ? 1 : 0;
            } catch (ForebayException e) {
                if (e.code() == ErrorCode.LAKE_UNAVAILABLE || e.code() == ErrorCode.UNAVAILABLE) {
                    throw e;
                }
                problems.add(String.valueOf(e.getMessage()));
            }
        }
        int unchanged = page.keys().size() - restored - problems.size();
        return new Restored(restored, unchanged, problems, page.next());
    }

    /**
     * Reads a pointer. Records a pointer that cannot be parsed as a problem, so that other versions
     * are still restored. Such a pointer fails with UNAVAILABLE, as a database outage does.
     */
    private Optional<Pointer> read(String key, List<String> problems) {
        try {
            return Optional.of(pointers.read(key));
        } catch (ForebayException e) {
            if (e.code() != ErrorCode.UNAVAILABLE) {
                throw e;
            }
            problems.add(String.valueOf(e.getMessage()));
            return Optional.empty();
        }
    }

    /** Enters a version from its pointer. Returns false if the catalogue has it. */
    boolean restore(Pointer pointer) {
        Dataset dataset = dataset(pointer);
        if (!dataset.source().equals(pointer.origin().source())) {
            throw new ForebayException(
                    ErrorCode.ALREADY_EXISTS,
                    "version %s was frozen from %s, but its dataset is registered with %s: register the first source as another dataset, and freeze it there"
                            .formatted(
                                    pointer.version(),
                                    pointer.origin().source().describe(),
                                    dataset.source().describe()));
        }
        return versions.restore(
                pointer.version(), pointer.ttl(), pointer.manifest(), pointer.origin());
    }

    /**
     * Returns the dataset of a pointer, and registers it if necessary. A deleted dataset stays
     * deleted.
     */
    private Dataset dataset(Pointer pointer) {
        try {
            return datasets.get(pointer.version().dataset());
        } catch (ForebayException e) {
            if (e.code() != ErrorCode.NOT_FOUND) {
                throw e;
            }
            return datasets.register(
                            pointer.version().dataset(),
                            pointer.origin().source(),
                            pointer.ttl(),
                            pointer.ttlAfter(),
                            pointer.ttl())
                    .dataset();
        }
    }
}
