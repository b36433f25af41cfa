package dev.forebay.operator;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.forebay.devstack.kubernetes.KubernetesCluster;
import dev.forebay.service.api.ForebayApi;
import dev.forebay.service.api.ServiceClients;
import dev.forebay.testing.Await;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Logger;
import org.jboss.logmanager.ExtHandler;
import org.jboss.logmanager.ExtLogRecord;
import org.jboss.logmanager.formatters.PatternFormatter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A leader with a real API server, whose Forebay API is not there. */
class LeaderTermKubeIT {

    private static final String NAMESPACE = "default";

    private static final URI NOT_THERE = URI.create("http://127.0.0.1:9/");

    @Test
    void datasetsAreReconciledOnceTheirDefinitionExists(@TempDir Path directory) throws Exception {
        List<String> logged = new CopyOnWriteArrayList<>();
        Logger log = Logger.getLogger(LeaderTerm.class.getName());
        ExtHandler recorder = recorder(logged);
        log.addHandler(recorder);
        try (KubernetesCluster cluster = KubernetesCluster.start(directory);
                ForebayApi api =
                        new ForebayApi(
                                NOT_THERE,
                                "forebay.datasets.api",
                                new ServiceClients(Optional.empty()),
                                Duration.ofSeconds(1),
                                new ObjectMapper());
                LeaderTerm _ = term(cluster.client(), api)) {
            KubernetesClient client = cluster.client();
            Await.until("the log names the definition", () -> !logged.isEmpty());
            assertThat(logged.getFirst()).contains("Cannot watch", DatasetClient.DEFINITION);
            define(client);
            client.resource(dataset("digits")).create();
            Resource<DatasetResource> there =
                    client.resources(DatasetResource.class)
                            .inNamespace(NAMESPACE)
                            .withName("digits");

            Await.until(
                    "the status names the failure",
                    () ->
                            Optional.ofNullable(there.get().getStatus())
                                    .filter(it -> "Unavailable".equals(it.state()))
                                    .isPresent());
            assertThat(there.get().getFinalizers()).containsExactly(DatasetClient.FINALIZER);

            there.delete();
            Await.until("the finalizer is removed", () -> there.get() == null);
        } finally {
            log.removeHandler(recorder);
        }
    }

    private static ExtHandler recorder(List<String> logged) {
        return new ExtHandler() {
            @Override
            protected void doPublish(ExtLogRecord entry) {
                logged.add(new PatternFormatter("%s").format(entry));
            }
        };
    }

    private static LeaderTerm term(KubernetesClient client, ForebayApi api) {
        Duration interval = Duration.ofSeconds(1);
        DatasetReconciler reconciler =
                new DatasetReconciler(
                        new DatasetClient(client, "replica"),
                        new PlanSteps(api, Duration.ofMinutes(1)),
                        Duration.ZERO,
                        interval,
                        Clock.systemUTC(),
                        new SimpleMeterRegistry());
        return new LeaderTerm(client, reconciler, interval, 1);
    }

    private static void define(KubernetesClient client) throws Exception {
        client.resource(
                        client.getKubernetesSerialization()
                                .unmarshal(
                                        Files.readString(
                                                Path.of("../helm/forebay/files/datasets.yaml")),
                                        CustomResourceDefinition.class))
                .create();
        Await.until(
                "the definition is in use",
                () ->
                        client
                                .apiextensions()
                                .v1()
                                .customResourceDefinitions()
                                .withName(DatasetClient.DEFINITION)
                                .get()
                                .getStatus()
                                .getConditions()
                                .stream()
                                .anyMatch(
                                        it ->
                                                it.getType().equals("Established")
                                                        && it.getStatus().equals("True")));
    }

    private static DatasetResource dataset(String name) {
        DatasetResource resource = new DatasetResource();
        resource.setMetadata(
                new ObjectMetaBuilder().withNamespace(NAMESPACE).withName(name).build());
        resource.setSpec(Samples.spec("v1", null, "east"));
        return resource;
    }
}
