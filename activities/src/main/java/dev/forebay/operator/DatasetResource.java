package dev.forebay.operator;

import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Kind;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.Version;

/**
 * The custom resource {@code Dataset}. It declares the dataset {@code namespace/name} with its own
 * namespace and name. Its definition is {@code files/datasets.yaml} of the chart.
 */
@Group("forebay.dev")
@Version("v1alpha1")
@Kind("Dataset")
@Plural("datasets")
public final class DatasetResource extends CustomResource<DatasetSpec, DatasetStatus>
        implements Namespaced {}
