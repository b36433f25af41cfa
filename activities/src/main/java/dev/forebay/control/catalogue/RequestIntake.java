package dev.forebay.control.catalogue;

import dev.forebay.model.ForebayException;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import org.jspecify.annotations.Nullable;

/**
 * Takes requests in: the dataset is there, the version is known, and the request is entered. In one
 * transaction, for every caller waits for it. Safe for use by many threads.
 */
@ApplicationScoped
@Stored
@Transactional
public class RequestIntake {

    private final DatasetCatalogue datasets;
    private final VersionCatalogue versions;
    private final RequestLog requests;

    RequestIntake(DatasetCatalogue datasets, VersionCatalogue versions, RequestLog requests) {
        this.datasets = datasets;
        this.versions = versions;
        this.requests = requests;
    }

    /** A request as it is known from now on, or was already. */
    public record Taken(Dataset dataset, RequestLog.Entry entry) {}

    /**
     * Takes a request in.
     *
     * @param askedBy the training run that asks, if it says
     * @param create whether the version is to be created if it is not known
     * @throws ForebayException {@code NOT_FOUND} for an unknown dataset or one that was deleted, or
     *     a version that is not known and is not to be created; {@code ALREADY_EXISTS} if the id
     *     was used for another request
     */
    public Taken take(RequestLog.Entry request, @Nullable String askedBy, boolean create) {
        Dataset dataset = datasets.require(request.version().dataset());
        if (!versions.isKnown(request.version())) {
            versions.enter(request.version(), dataset.ttl(), create);
        }
        return new Taken(dataset, requests.enter(request, askedBy));
    }
}
