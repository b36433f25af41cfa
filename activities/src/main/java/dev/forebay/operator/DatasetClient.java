package dev.forebay.operator;

import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import java.util.Optional;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes Datasets in the API server. Safe for use by many threads.
 *
 * <p>A write replaces only the state that was read. A person, or another replica that considers
 * itself the leader, may have written meanwhile. The write then throws a {@link
 * KubernetesClientException} with the status 409, and the caller must read again.
 */
final class DatasetClient {

    /** Keeps a deleted resource until everything that it holds is released. */
    static final String FINALIZER = "forebay.dev/release";

    /** The name of the definition of Datasets. */
    static final String DEFINITION = "datasets.forebay.dev";

    /** The field manager of the status and the finalizer. */
    static final String MANAGER = "forebay";

    private static final Logger LOG = Logger.getLogger(DatasetClient.class);

    /** Bounds the heap for one answer. */
    static final long PAGE = 500;

    private final KubernetesClient client;
    private final String replica;

    /**
     * @param replica the reporting instance of events
     */
    DatasetClient(KubernetesClient client, String replica) {
        this.client = client;
        this.replica = replica;
    }

    /** Reads a resource from the API server's store, because the cache of a watch may be late. */
    Optional<DatasetResource> find(DatasetResource cached) {
        return Optional.ofNullable(client.resource(cached).get());
    }

    /** Replaces the status of {@code read}. Returns the written resource. */
    DatasetResource writeStatus(DatasetResource read, DatasetStatus status) {
        DatasetResource applied = new DatasetResource();
        applied.setMetadata(
                new ObjectMetaBuilder()
                        .withNamespace(read.getMetadata().getNamespace())
                        .withName(read.getMetadata().getName())
                        .withUid(read.getMetadata().getUid())
                        .withResourceVersion(read.getMetadata().getResourceVersion())
                        .build());
        applied.setStatus(status);
        return client.resource(read)
                .subresource("status")
                .patch(
                        new PatchContext.Builder()
                                .withPatchType(PatchType.SERVER_SIDE_APPLY)
                                .withFieldManager(MANAGER)
                                .withForce(true)
                                .build(),
                        client.getKubernetesSerialization().asJson(applied));
    }

    /** Publishes an event for people. A failure is only logged. */
    void tell(DatasetResource resource, DatasetEvent event) {
        String now = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
        String namespace = resource.getMetadata().getNamespace();
        try {
            client.v1()
                    .events()
                    .inNamespace(namespace)
                    .resource(
                            new EventBuilder()
                                    .withNewMetadata()
                                    .withNamespace(namespace)
                                    .withGenerateName(resource.getMetadata().getName() + ".")
                                    .endMetadata()
                                    .withNewInvolvedObject()
                                    .withApiVersion(resource.getApiVersion())
                                    .withKind(resource.getKind())
                                    .withNamespace(namespace)
                                    .withName(resource.getMetadata().getName())
                                    .withUid(resource.getMetadata().getUid())
                                    .endInvolvedObject()
                                    .withNewSource()
                                    .withComponent(MANAGER)
                                    .endSource()
                                    .withReportingComponent("forebay.dev/datasets")
                                    .withReportingInstance(replica)
                                    .withType(event.kind().toString())
                                    .withReason(event.reason())
                                    .withMessage(Conditions.abbreviated(event.message()))
                                    .withFirstTimestamp(now)
                                    .withLastTimestamp(now)
                                    .withCount(1)
                                    .build())
                    .create();
        } catch (KubernetesClientException e) {
            LOG.warnf(
                    "Cannot write event %s of %s: %s",
                    event.reason(), declared(resource).dataset(), e.getMessage());
        }
    }

    /** Returns the resource without the parts that only Kubernetes needs. */
    static DeclaredDataset declared(DatasetResource resource) {
        ObjectMeta metadata = resource.getMetadata();
        DatasetStatus status = resource.getStatus();
        return new DeclaredDataset(
                metadata.getNamespace(),
                metadata.getName(),
                metadata.getUid(),
                metadata.getGeneration(),
                Objects.requireNonNullElse(resource.getSpec(), DatasetSpec.NONE),
                status == null ? DatasetStatus.NONE : status,
                time(metadata.getDeletionTimestamp()));
    }

    private static @Nullable Instant time(@Nullable String text) {
        return text == null ? null : Instant.parse(text);
    }
}
