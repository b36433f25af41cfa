package dev.forebay.operator;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The classes agree with the definition. */
class DatasetResourceTest {

    private static final KubernetesSerialization KUBERNETES = new KubernetesSerialization();

    private static final DatasetStatus STATUS =
            new DatasetStatus(
                    2L,
                    "Warming",
                    "v1",
                    "2026-11-19T10:00:00Z",
                    2L,
                    10L,
                    "0/1",
                    "job train-1",
                    List.of(
                            new DatasetStatus.Region(
                                    "east",
                                    "v2",
                                    "v1",
                                    "WARMING",
                                    40,
                                    4,
                                    "2026-11-20T10:00:00Z",
                                    "waits")),
                    List.of(
                            new DatasetStatus.Condition(
                                    "Warm",
                                    "False",
                                    2L,
                                    "2026-11-20T10:00:00Z",
                                    "Warming",
                                    "it is being filled in east")));

    private static JSONSchemaProps schema() throws IOException {
        CustomResourceDefinition definition =
                KUBERNETES.unmarshal(
                        Files.readString(Path.of("../helm/forebay/files/datasets.yaml")),
                        CustomResourceDefinition.class);
        assertThat(HasMetadata.getPlural(DatasetResource.class))
                .isEqualTo(definition.getSpec().getNames().getPlural());
        assertThat(HasMetadata.getGroup(DatasetResource.class))
                .isEqualTo(definition.getSpec().getGroup());
        return definition.getSpec().getVersions().getFirst().getSchema().getOpenAPIV3Schema();
    }

    @Test
    void aWrittenResourceIsReadBackUnchanged() {
        DatasetResource resource = new DatasetResource();
        resource.setSpec(
                new DatasetSpec(
                        new DatasetSpec.Source("s3://lake/a/", List.of("**"), List.of("b"), null),
                        new DatasetSpec.Tracking(60L, true),
                        "latest",
                        List.of("east"),
                        5L,
                        "read",
                        "interactive",
                        true));
        resource.setStatus(STATUS);

        DatasetResource read =
                KUBERNETES.unmarshal(KUBERNETES.asJson(resource), DatasetResource.class);

        assertThat(read.getSpec()).isEqualTo(resource.getSpec());
        assertThat(read.getStatus()).isEqualTo(STATUS);
    }

    @Test
    void omittedFieldsHaveDefaults() {
        DatasetSpec spec =
                KUBERNETES
                        .unmarshal(
                                """
                                {"apiVersion":"forebay.dev/v1alpha1","kind":"Dataset","metadata":{"name":"a"},
                                "spec":{"source":{"uri":"s3://lake/a/"},"ofALaterVersion":1}}""",
                                DatasetResource.class)
                        .getSpec();

        assertThat(spec.version()).isEqualTo("latest");
        assertThat(spec.regions()).isEmpty();
        assertThat(spec.priority()).isEqualTo("speculative");
        assertThat(spec.create()).isFalse();
        assertThat(spec.source().include()).isEmpty();
    }

    /** Another definition may allow this. The API then reports what is missing. */
    @ParameterizedTest
    @ValueSource(strings = {"", ",\"spec\":{}", ",\"spec\":{\"source\":{}}"})
    void aResourceWithoutASourceIsStillReconciled(String spec) {
        DatasetResource resource =
                KUBERNETES.unmarshal(
                        """
                        {"apiVersion":"forebay.dev/v1alpha1","kind":"Dataset",
                        "metadata":{"namespace":"team","name":"a","uid":"u","generation":1}%s}"""
                                .formatted(spec),
                        DatasetResource.class);

        DeclaredDataset declared = DatasetClient.declared(resource);

        assertThat(declared.spec()).isEqualTo(DatasetSpec.NONE);
        assertThat(DatasetPlanner.plan(declared, Samples.seen(null)).first())
                .containsExactly(new PlanStep.Register(DatasetSpec.NONE.source()));
    }

    /** The API server drops fields that the definition does not have. */
    @Test
    void theDefinitionHasEveryFieldOfTheStatus() throws IOException {
        JSONSchemaProps status = property(schema(), "status");

        assertThat(fields(STATUS)).isSubsetOf(status.getProperties().keySet());
        assertThat(fields(STATUS.regions().getFirst()))
                .isEqualTo(items(status, "regions").getProperties().keySet());
        assertThat(fields(STATUS.conditions().getFirst()))
                .isEqualTo(items(status, "conditions").getProperties().keySet());
    }

    @Test
    void theSpecClassesHaveEveryFieldOfTheDefinition() throws IOException {
        JSONSchemaProps spec = property(schema(), "spec");

        assertThat(spec.getProperties().keySet())
                .isEqualTo(
                        fields(
                                new DatasetSpec(
                                        Samples.SOURCE,
                                        new DatasetSpec.Tracking(60L, true),
                                        null,
                                        null,
                                        5L,
                                        "pin",
                                        null,
                                        null)));
        assertThat(property(spec, "tracking").getProperties().keySet())
                .isEqualTo(fields(new DatasetSpec.Tracking(60L, true)));
        assertThat(property(spec, "source").getProperties().keySet())
                .isEqualTo(
                        fields(
                                new DatasetSpec.Source(
                                        "s3://lake/a/", null, null, "s3://lake/keys")));
    }

    private static JSONSchemaProps property(JSONSchemaProps schema, String name) {
        assertThat(schema.getProperties()).containsKey(name);
        return Objects.requireNonNull(schema.getProperties().get(name));
    }

    private static JSONSchemaProps items(JSONSchemaProps schema, String name) {
        return property(schema, name).getItems().getSchema();
    }

    private static Set<String> fields(Object value) throws IOException {
        JsonNode json = new ObjectMapper().readTree(KUBERNETES.asJson(value));
        Set<String> names = new TreeSet<>();
        json.properties().stream().map(Map.Entry::getKey).forEach(names::add);
        return names;
    }
}
