package dev.forebay.control.temporal;

import dev.forebay.service.ServiceConfig;
import dev.forebay.workflows.SearchAttributes;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.temporal.api.enums.v1.IndexedValueType;
import io.temporal.api.operatorservice.v1.AddSearchAttributesRequest;
import io.temporal.api.operatorservice.v1.ListSearchAttributesRequest;
import io.temporal.common.SearchAttributeKey;
import io.temporal.serviceclient.OperatorServiceStubs;
import io.temporal.serviceclient.OperatorServiceStubsOptions;
import io.temporal.serviceclient.WorkflowServiceStubs;
import jakarta.inject.Singleton;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jboss.logging.Logger;

/** Adds the search attributes of workflows to the Temporal namespace, if they are missing. */
@Singleton
public class SearchAttributeRegistration {

    private static final Logger LOG = Logger.getLogger(SearchAttributeRegistration.class);

    private final WorkflowServiceStubs stubs;
    private final ServiceConfig.Temporal config;

    SearchAttributeRegistration(WorkflowServiceStubs stubs, ServiceConfig config) {
        this.stubs = stubs;
        this.config = config.temporal();
    }

    public void ensureRegistered() {
        OperatorServiceStubs operator =
                OperatorServiceStubs.newServiceStubs(
                        OperatorServiceStubsOptions.newBuilder()
                                .setChannel(stubs.getRawChannel())
                                .validateAndBuildWithDefaults());
        // Does not close the channel, which belongs to the workflow client.
        try {
            add(operator, missing(operator));
        } catch (StatusRuntimeException e) {
            if (e.getStatus().getCode() != Status.Code.PERMISSION_DENIED
                    && e.getStatus().getCode() != Status.Code.UNIMPLEMENTED) {
                throw e;
            }
            LOG.warnf(
                    "Temporal refuses to add search attributes (%s): an operator must add %s",
                    e.getStatus().getCode(),
                    SearchAttributes.ALL.stream().map(SearchAttributeKey::getName).toList());
        }
    }

    private Map<String, IndexedValueType> missing(OperatorServiceStubs operator) {
        Set<String> present =
                operator.blockingStub()
                        .listSearchAttributes(
                                ListSearchAttributesRequest.newBuilder()
                                        .setNamespace(config.namespace())
                                        .build())
                        .getCustomAttributesMap()
                        .keySet();
        return SearchAttributes.ALL.stream()
                .filter(key -> !present.contains(key.getName()))
                .collect(
                        Collectors.toMap(
                                SearchAttributeKey::getName, SearchAttributeKey::getValueType));
    }

    private void add(OperatorServiceStubs operator, Map<String, IndexedValueType> missing) {
        if (missing.isEmpty()) {
            return;
        }
        try {
            operator.blockingStub()
                    .addSearchAttributes(
                            AddSearchAttributesRequest.newBuilder()
                                    .setNamespace(config.namespace())
                                    .putAllSearchAttributes(missing)
                                    .build());
            LOG.infof("Added search attributes %s to %s", missing.keySet(), config.namespace());
        } catch (StatusRuntimeException e) {
            // Another control plane has added them at the same moment.
            if (e.getStatus().getCode() != Status.Code.ALREADY_EXISTS) {
                throw e;
            }
        }
    }
}
