package dev.forebay.agent.jobs;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.api.model.ListOptions;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodList;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Reads and changes pods of all namespaces that the webhook has admitted, through the API server.
 * Needs the verbs {@code list}, {@code watch} and {@code patch} on pods, {@code patch} on their
 * status and {@code create} on events. Needs the verbs of {@link PinOwnerLookup}, too.
 */
final class ClusterPods implements Pods {

    private static final long PAGE = 500;

    /** The source of events. */
    private static final String EVENT_SOURCE = "forebay";

    /** The pod is gone, another pod has its name, or the event exists already. */
    private static final Set<Integer> GONE = Set.of(404, 409);

    /** The scheduler's condition. */
    private static final String SCHEDULED = "PodScheduled";

    private static final PatchContext MERGED = PatchContext.of(PatchType.STRATEGIC_MERGE);

    private final KubernetesClient client;
    private final PinOwnerLookup owners;
    private final SharedIndexInformer<Pod> informer;

    /** Gives the times that people see. No decision depends on it. */
    private final Clock clock;

    /**
     * @param client is not closed with this
     */
    ClusterPods(KubernetesClient client, Clock clock) {
        this.client = client;
        this.owners = new PinOwnerLookup(client);
        this.clock = clock;
        this.informer =
                client.pods()
                        .inAnyNamespace()
                        .withLabel(ADMITTED, "true")
                        .withField("spec.nodeName", "")
                        .withLimit(PAGE)
                        .runnableInformer(0)
                        .exceptionHandler((isStarted, failure) -> true);
    }

    @Override
    public void follow() {
        // Tries without end.
        var _ = informer.start();
    }

    @Override
    public List<AdmittedPod> gated() {
        return informer.getStore().list().stream()
                .filter(ClusterPods::isGated)
                .map(ClusterPods::of)
                .toList();
    }

    private static boolean isGated(Pod pod) {
        return pod.getMetadata().getDeletionTimestamp() == null
                && !Objects.equals(pod.getStatus().getPhase(), "Failed")
                && hasGate(pod);
    }

    private static boolean hasGate(Pod pod) {
        return pod.getSpec().getSchedulingGates().stream()
                .anyMatch(gate -> gate.getName().equals(GATE));
    }

    @Override
    public List<AdmittedPod> running() {
        List<AdmittedPod> running = new ArrayList<>();
        ListOptions options = new ListOptionsBuilder().withLimit(PAGE).build();
        do {
            PodList page =
                    ApiServer.ask(
                            "list pods",
                            () ->
                                    client.pods()
                                            .inAnyNamespace()
                                            .withLabel(ADMITTED, "true")
                                            .withoutField("status.phase", "Succeeded")
                                            .withoutField("status.phase", "Failed")
                                            .list(options));
            page.getItems().stream()
                    .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null)
                    .filter(pod -> !hasGate(pod))
                    .map(ClusterPods::of)
                    .forEach(running::add);
            options.setContinue(page.getMetadata().getContinue());
        } while (options.getContinue() != null && !options.getContinue().isEmpty());
        return running;
    }

    @Override
    public Instant clock() {
        return ApiServer.now(client);
    }

    @Override
    public boolean isOpen(AdmittedPod pod) {
        List<Pod> named =
                ApiServer.ask(
                        "show pod %s/%s".formatted(pod.namespace(), pod.name()),
                        () ->
                                client.pods()
                                        .inNamespace(pod.namespace())
                                        // A list, because the account has no right to get a pod.
                                        .withField("metadata.name", pod.name())
                                        .list()
                                        .getItems());
        return named.stream()
                .anyMatch(
                        there ->
                                there.getMetadata().getUid().equals(pod.uid())
                                        && there.getMetadata().getDeletionTimestamp() == null
                                        && !hasGate(there));
    }

    private static AdmittedPod of(Pod pod) {
        return new AdmittedPod(
                pod.getMetadata().getNamespace(),
                pod.getMetadata().getName(),
                pod.getMetadata().getUid(),
                Instant.parse(pod.getMetadata().getCreationTimestamp()),
                Map.copyOf(
                        Objects.requireNonNullElse(
                                pod.getMetadata().getAnnotations(), Map.<String, String>of())),
                ControllerReference.of(pod.getMetadata()),
                pod.getStatus().getConditions().stream()
                        .filter(condition -> condition.getType().equals(CONDITION))
                        .findFirst()
                        .map(ClusterPods::notice));
    }

    private static VersionNotice notice(PodCondition condition) {
        return new VersionNotice(
                condition.getStatus().equals("True"),
                Objects.requireNonNullElse(condition.getReason(), ""),
                Objects.requireNonNullElse(condition.getMessage(), ""));
    }

    @Override
    public PinOwner holder(AdmittedPod pod) {
        return owners.holder(
                new PinOwner("Pod", pod.namespace(), pod.name(), pod.uid()), pod.owner());
    }

    @Override
    public void tell(AdmittedPod pod, VersionNotice notice) {
        if (pod.lastNotice().filter(notice::equals).isEmpty()) {
            tell(pod, notice, patch(pod));
        }
    }

    @Override
    public void fail(AdmittedPod pod, VersionNotice notice) {
        ObjectNode patch = patch(pod);
        patch.withObject("/status")
                .put("phase", "Failed")
                .put("reason", "Forebay" + notice.reason())
                .put("message", notice.message());
        // kubectl would show the gate's reason of this condition instead of the phase.
        patch.withArray("/status/conditions")
                .addObject()
                .put("type", SCHEDULED)
                .put("status", "False")
                .put("reason", "Forebay" + notice.reason())
                .put("message", notice.message());
        patch.withArray("/status/conditions")
                .addObject()
                .put("type", FAILED)
                .put("status", "True")
                .put("reason", notice.reason())
                .put("message", notice.message())
                .put("lastTransitionTime", now());
        tell(pod, notice, patch);
    }

    private void tell(AdmittedPod pod, VersionNotice notice, ObjectNode patch) {
        ObjectNode condition = patch.withArray("/status/conditions").addObject();
        condition.put("type", CONDITION);
        condition.put("status", notice.warm() ? "True" : "False");
        condition.put("reason", notice.reason());
        condition.put("message", notice.message());
        if (pod.lastNotice()
                .map(VersionNotice::warm)
                .filter(before -> before == notice.warm())
                .isEmpty()) {
            condition.put("lastTransitionTime", now());
        }
        unlessGone(pod, () -> resource(pod).subresource("status").patch(MERGED, patch.toString()));
        if (pod.lastNotice().map(VersionNotice::reason).filter(notice.reason()::equals).isEmpty()) {
            publish(pod, notice);
        }
    }

    @Override
    public void open(AdmittedPod pod, VersionNotice notice, Optional<String> pinId) {
        tell(pod, notice);
        ObjectNode patch = patch(pod);
        pinId.ifPresent(id -> patch.withObject("/metadata").putObject("annotations").put(PIN, id));
        patch.withArray("/spec/schedulingGates")
                .addObject()
                .put("$patch", "delete")
                .put("name", GATE);
        unlessGone(pod, () -> resource(pod).patch(MERGED, patch.toString()));
    }

    /** Creates a patch that applies to this pod only, not to another one of the same name. */
    private static ObjectNode patch(AdmittedPod pod) {
        ObjectNode patch = JsonNodeFactory.instance.objectNode();
        patch.putObject("metadata").put("uid", pod.uid());
        return patch;
    }

    /**
     * Builds an object, because with only its name the client would get the pod before each patch.
     */
    private Resource<Pod> resource(AdmittedPod pod) {
        return client.resource(
                new PodBuilder()
                        .withNewMetadata()
                        .withNamespace(pod.namespace())
                        .withName(pod.name())
                        .endMetadata()
                        .build());
    }

    /**
     * The event's name contains its subject and reason, so a repeated event, of any agent, exists
     * already.
     */
    private void publish(AdmittedPod pod, VersionNotice notice) {
        String now = now();
        Event event =
                new EventBuilder()
                        .withNewMetadata()
                        .withNamespace(pod.namespace())
                        .withName(
                                "forebay-%s.%s"
                                        .formatted(
                                                pod.uid(),
                                                notice.reason().toLowerCase(Locale.ROOT)))
                        .endMetadata()
                        .withNewInvolvedObject()
                        .withApiVersion("v1")
                        .withKind("Pod")
                        .withNamespace(pod.namespace())
                        .withName(pod.name())
                        .withUid(pod.uid())
                        .endInvolvedObject()
                        .withType(notice.needsAttention() ? "Warning" : "Normal")
                        .withReason(notice.reason())
                        .withMessage(notice.message())
                        .withCount(1)
                        .withFirstTimestamp(now)
                        .withLastTimestamp(now)
                        .withNewSource()
                        .withComponent(EVENT_SOURCE)
                        .endSource()
                        .build();
        unlessGone(pod, () -> client.resource(event).create());
    }

    private String now() {
        return clock.instant().truncatedTo(ChronoUnit.SECONDS).toString();
    }

    private static void unlessGone(AdmittedPod pod, Runnable request) {
        var _ =
                ApiServer.tell(
                        "change pod %s/%s".formatted(pod.namespace(), pod.name()), GONE, request);
    }

    @Override
    public void close() {
        informer.close();
    }
}
