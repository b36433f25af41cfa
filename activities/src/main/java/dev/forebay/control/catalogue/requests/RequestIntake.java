package dev.forebay.control.catalogue.requests;

import dev.forebay.control.catalogue.Dataset;
import dev.forebay.control.catalogue.DatasetCatalogue;
import dev.forebay.control.catalogue.NeedsDatabase;
import dev.forebay.control.catalogue.NewVersions;
import dev.forebay.model.ForebayException;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import org.jspecify.annotations.Nullable;

/**
 * Takes in requests: checks the dataset, enters the version if necessary, and enters the request.
 * Uses one transaction, because every caller waits for it. Thread-safe.
 */
@ApplicationScoped
@NeedsDatabase
@Transactional
public class RequestIntake {

    private final DatasetCatalogue datasets;
    private final NewVersions versions;
    private final RequestLog requests;

    RequestIntake(DatasetCatalogue datasets, NewVersions versions, RequestLog requests) {
        this.datasets = datasets;
        this.versions = versions;
        this.requests = requests;
    }

    /** A request as it is stored. */
    public record Taken(Dataset dataset, RequestLog.Entry entry) {}

    /**
     * Takes in a request.
     *
     * @param askedBy the training run that asks; null if it is unknown
     * @param create whether to create the version if it is not known
     * @throws ForebayException {@code NOT_FOUND} if the dataset is unknown or deleted, or the
     *     version is unknown and not to be created; {@code ALREADY_EXISTS} if the id was used for
     *     another request
     */
    public Taken take(RequestLog.Entry request, @Nullable String askedBy, boolean create) {
        Dataset dataset = datasets.require(request.version().dataset());
        if (!versions.isKnown(request.version())) {
            versions.enter(request.version(), dataset.ttl(), create);
        }
        return new Taken(dataset, requests.enter(request, askedBy));
    }
}
