package dev.forebay.chart;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.introspect.JacksonAnnotationIntrospector;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.autoscaling.v2.HorizontalPodAutoscaler;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBinding;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.api.model.rbac.RoleBinding;
import io.fabric8.kubernetes.api.model.scheduling.v1.PriorityClass;
import io.fabric8.kubernetes.api.model.storage.CSIDriver;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The rendered objects in the types of the Kubernetes API. A field that these types do not have, or
 * that occurs twice, is an error. For kinds outside Kubernetes only the latter is.
 */
record Release(List<HasMetadata> objects) {

    private static final String COMPONENT = "app.kubernetes.io/component";

    private static final Map<String, Class<? extends HasMetadata>> KINDS =
            Map.ofEntries(
                    Map.entry("v1 ConfigMap", ConfigMap.class),
                    Map.entry("v1 Secret", Secret.class),
                    Map.entry("v1 Service", Service.class),
                    Map.entry("v1 ServiceAccount", ServiceAccount.class),
                    Map.entry("apps/v1 Deployment", Deployment.class),
                    Map.entry("apps/v1 StatefulSet", StatefulSet.class),
                    Map.entry("apps/v1 DaemonSet", DaemonSet.class),
                    Map.entry(
                            "admissionregistration.k8s.io/v1 MutatingWebhookConfiguration",
                            MutatingWebhookConfiguration.class),
                    Map.entry(
                            "autoscaling/v2 HorizontalPodAutoscaler",
                            HorizontalPodAutoscaler.class),
                    Map.entry("batch/v1 Job", Job.class),
                    Map.entry("networking.k8s.io/v1 NetworkPolicy", NetworkPolicy.class),
                    Map.entry("policy/v1 PodDisruptionBudget", PodDisruptionBudget.class),
                    Map.entry(
                            "apiextensions.k8s.io/v1 CustomResourceDefinition",
                            CustomResourceDefinition.class),
                    Map.entry("rbac.authorization.k8s.io/v1 Role", Role.class),
                    Map.entry("rbac.authorization.k8s.io/v1 RoleBinding", RoleBinding.class),
                    Map.entry("rbac.authorization.k8s.io/v1 ClusterRole", ClusterRole.class),
                    Map.entry(
                            "rbac.authorization.k8s.io/v1 ClusterRoleBinding",
                            ClusterRoleBinding.class),
                    Map.entry("scheduling.k8s.io/v1 PriorityClass", PriorityClass.class),
                    Map.entry("cert-manager.io/v1 Certificate", GenericKubernetesResource.class),
                    Map.entry("cert-manager.io/v1 Issuer", GenericKubernetesResource.class),
                    Map.entry(
                            "monitoring.coreos.com/v1 PodMonitor", GenericKubernetesResource.class),
                    Map.entry(
                            "monitoring.coreos.com/v1 PrometheusRule",
                            GenericKubernetesResource.class),
                    Map.entry("storage.k8s.io/v1 CSIDriver", CSIDriver.class));

    /** For kinds outside Kubernetes, whose fields are not known here. */
    private static final ObjectMapper LENIENT = new ObjectMapper();

    private static final ObjectMapper STRICT = strict();

    static Release parse(String yaml) {
        List<HasMetadata> objects = new ArrayList<>();
        try (MappingIterator<JsonNode> documents =
                STRICT.readerFor(JsonNode.class).readValues(yaml)) {
            while (documents.hasNext()) {
                JsonNode document = documents.next();
                if (!document.isNull() && !document.isEmpty()) {
                    objects.add(read(document));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new Release(List.copyOf(objects));
    }

    private static HasMetadata read(JsonNode document) throws IOException {
        String kind = document.path("apiVersion").asText() + " " + document.path("kind").asText();
        assertThat(KINDS).containsKey(kind);
        Class<? extends HasMetadata> type = Objects.requireNonNull(KINDS.get(kind));
        return (type == GenericKubernetesResource.class ? LENIENT : STRICT)
                .treeToValue(document, type);
    }

    /**
     * Returns a mapper that refuses unknown fields. By default Kubernetes's types keep them in a
     * map.
     */
    private static ObjectMapper strict() {
        return new ObjectMapper(
                        new YAMLFactory().enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION))
                .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .setAnnotationIntrospector(
                        new JacksonAnnotationIntrospector() {
                            @Override
                            public Boolean hasAnySetter(Annotated member) {
                                return false;
                            }
                        });
    }

    <T extends HasMetadata> Stream<T> all(Class<T> type) {
        return objects.stream().filter(type::isInstance).map(type::cast);
    }

    /** Returns the only object of a type that a component has. */
    <T extends HasMetadata> T one(Class<T> type, String component) {
        List<T> found = all(type).filter(object -> component(object).equals(component)).toList();
        assertThat(found).as("%s of %s", type.getSimpleName(), component).hasSize(1);
        return found.getFirst();
    }

    static String component(HasMetadata object) {
        return Objects.requireNonNullElse(
                object.getMetadata().getLabels().get(COMPONENT), "no component");
    }

    /** Returns the pod templates of all components, by component. */
    Map<String, PodTemplateSpec> pods() {
        Map<String, PodTemplateSpec> pods = new TreeMap<>();
        all(Deployment.class).forEach(it -> pods.put(component(it), it.getSpec().getTemplate()));
        all(StatefulSet.class).forEach(it -> pods.put(component(it), it.getSpec().getTemplate()));
        all(DaemonSet.class).forEach(it -> pods.put(component(it), it.getSpec().getTemplate()));
        all(Job.class).forEach(it -> pods.put(component(it), it.getSpec().getTemplate()));
        return pods;
    }

    PodTemplateSpec pod(String component) {
        PodTemplateSpec pod = pods().get(component);
        assertThat(pod).as(component).isNotNull();
        return Objects.requireNonNull(pod);
    }

    /** Returns a container of a component by the container's name. */
    Container container(String component, String name) {
        return pod(component).getSpec().getContainers().stream()
                .filter(container -> container.getName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** Returns the environment of a component's main container, without references. */
    Map<String, String> environment(String component) {
        return environment(container(component, component));
    }

    static Map<String, String> environment(Container container) {
        Map<String, String> variables = new TreeMap<>();
        for (EnvVar variable : container.getEnv()) {
            if (variable.getValue() != null) {
                variables.put(variable.getName(), variable.getValue());
            }
        }
        return variables;
    }

    /** Returns the properties file of a component, parsed like in Java. */
    Map<String, String> settings(String component) {
        Properties properties = new Properties();
        try {
            properties.load(
                    new StringReader(
                            one(ConfigMap.class, component)
                                    .getData()
                                    .getOrDefault("application.properties", "")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Map<String, String> settings = new TreeMap<>();
        properties.forEach((name, value) -> settings.put(name.toString(), value.toString()));
        return settings;
    }
}
