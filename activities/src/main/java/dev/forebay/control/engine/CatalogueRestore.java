package dev.forebay.control.engine;

import dev.forebay.control.catalogue.Dataset;
import dev.forebay.control.catalogue.DatasetCatalogue;
import dev.forebay.control.catalogue.VersionCatalogue;
import dev.forebay.control.engine.VersionPointers.Pointer;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Makes datasets and versions of a lost catalogue anew, from the pointers beside the manifests.
 * What is there stays as it is, so it may be done at any time, and again. Safe for use by many
 * threads.
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
     * What became of some versions.
     *
     * @param restored how many were not in the catalogue
     * @param unchanged how many were
     * @param problems of each that could not be restored, why
     * @param next what to go on after; null at the end
     */
    public record Restored(
            int restored, int unchanged, List<String> problems, @Nullable String next) {}

    /**
     * Restores the next few versions.
     *
     * @param after as the answer before said; null to begin
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
     * Reads a pointer. One that is not understood, which is UNAVAILABLE as a database is that is
     * away, keeps no other version from being restored.
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

    /** Enters a version by its pointer; returns false if it was there. */
    boolean restore(Pointer pointer) {
        Dataset dataset = dataset(pointer);
        if (!dataset.source().equals(pointer.origin().source())) {
            throw new ForebayException(
                    ErrorCode.ALREADY_EXISTS,
                    "version %s was frozen from %s, and its dataset is registered with %s"
                            .formatted(
                                    pointer.version(),
                                    pointer.origin().source().describe(),
                                    dataset.source().describe()));
        }
        return versions.restore(
                pointer.version(), pointer.ttl(), pointer.manifest(), pointer.origin());
    }

    /** One that was deleted stays deleted. */
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
