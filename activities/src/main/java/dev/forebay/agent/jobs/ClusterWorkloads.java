package dev.forebay.agent.jobs;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.forebay.agent.jobs.ReservedWorkload.Check;
import dev.forebay.agent.jobs.ReservedWorkload.State;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Reads and answers Workloads of all namespaces through the API server. Needs the verbs {@code
 * list} and {@code watch} on Workloads and AdmissionChecks, and {@code patch} on the status of
 * both. Needs the verbs of {@link PinOwnerLookup}, too.
 */
final class ClusterWorkloads implements Workloads {

    private static final long PAGE = 500;

    private static final String ACTIVE = "Active";
    private static final String RESERVED = "QuotaReserved";

    /** Conditions of Workloads that no longer wait and give their quota back. */
    private static final Set<String> LEAVING = Set.of("Evicted", "Finished");

    /** The API server allows 32,768 characters. An obstacle may quote long texts. */
    private static final int MOST_CHARACTERS = 2_000;

    /** The object is gone or has changed. */
    private static final Set<Integer> CHANGED = Set.of(404, 409);

    /** Takes over fields that another manager wrote: Kueue creates a check and resets it. */
    private static final PatchContext APPLIED =
            new PatchContext.Builder()
                    .withPatchType(PatchType.SERVER_SIDE_APPLY)
                    .withFieldManager("forebay")
                    .withForce(true)
                    .build();

    private final KubernetesClient client;
    private final PinOwnerLookup owners;
    private final SharedIndexInformer<WorkloadResource> workloads;
    private final SharedIndexInformer<AdmissionCheckResource> checks;

    /** Gives the times that people see. No decision depends on it. */
    private final Clock clock;

    /**
     * @param client is not closed with this
     */
    ClusterWorkloads(KubernetesClient client, Clock clock) {
        this.client = client;
        this.owners = new PinOwnerLookup(client);
        this.clock = clock;
        this.workloads = informer(WorkloadResource.class);
        this.checks = informer(AdmissionCheckResource.class);
    }

    private <T extends HasMetadata> SharedIndexInformer<T> informer(Class<T> kind) {
        return client.resources(kind)
                .inAnyNamespace()
                .withLimit(PAGE)
                .runnableInformer(0)
                .exceptionHandler((isStarted, failure) -> true);
    }

    @Override
    public void follow() {
        // Both try without end.
        var _ = checks.start();
        var _ = workloads.start();
    }

    @Override
    public Instant clock() {
        return ApiServer.now(client);
    }

    @Override
    public void activate() {
        checks.getStore().list().stream()
                .filter(ClusterWorkloads::isOurs)
                .filter(check -> inForce(conditions(check), ACTIVE).isEmpty())
                .forEach(this::activate);
    }

    private void activate(AdmissionCheckResource check) {
        AdmissionCheckResource patch = new AdmissionCheckResource();
        patch.setMetadata(
                new ObjectMetaBuilder()
                        .withName(check.getMetadata().getName())
                        .withUid(check.getMetadata().getUid())
                        .build());
        ObjectNode status = JsonNodeFactory.instance.objectNode();
        ObjectNode condition = status.putArray("conditions").addObject();
        condition.put("type", ACTIVE);
        condition.put("status", "True");
        condition.put("reason", ACTIVE);
        condition.put("message", "Forebay's agent controls this check");
        condition.put("lastTransitionTime", now());
        condition.put("observedGeneration", check.getMetadata().getGeneration());
        apply(patch, status);
    }

    private static boolean isOurs(AdmissionCheckResource check) {
        return check.getSpec() != null && CONTROLLER.equals(check.getSpec().controllerName());
    }

    private static List<Condition> conditions(AdmissionCheckResource check) {
        return Objects.requireNonNullElse(check.getStatus(), AdmissionCheckResource.Status.NONE)
                .conditions();
    }

    @Override
    public List<ReservedWorkload> reserved() {
        Set<String> ours =
                checks.getStore().list().stream()
                        .filter(ClusterWorkloads::isOurs)
                        .map(check -> check.getMetadata().getName())
                        .collect(Collectors.toSet());
        return workloads.getStore().list().stream()
                .flatMap(workload -> reserved(workload, ours).stream())
                .toList();
    }

    /**
     * Returns the state of a Workload, empty if it needs no answer.
     *
     * @param ours the names of our AdmissionChecks
     */
    static Optional<ReservedWorkload> reserved(WorkloadResource workload, Set<String> ours) {
        WorkloadResource.Status status =
                Objects.requireNonNullElse(workload.getStatus(), WorkloadResource.Status.NONE);
        List<Check> checks =
                status.admissionChecks().stream()
                        .filter(check -> ours.contains(check.name()))
                        .flatMap(check -> read(check).stream())
                        .toList();
        ObjectMeta metadata = workload.getMetadata();
        WorkloadResource.Spec spec = workload.getSpec();
        if (checks.isEmpty()
                || metadata.getDeletionTimestamp() != null
                || Boolean.FALSE.equals(spec.active())
                || LEAVING.stream()
                        .anyMatch(type -> inForce(status.conditions(), type).isPresent())) {
            return Optional.empty();
        }
        return inForce(status.conditions(), RESERVED)
                .map(
                        reservation ->
                                new ReservedWorkload(
                                        metadata.getNamespace(),
                                        metadata.getName(),
                                        metadata.getUid(),
                                        metadata.getResourceVersion(),
                                        reservation.getLastTransitionTime(),
                                        ControllerReference.of(metadata),
                                        annotations(spec),
                                        checks));
    }

    /** Empty for an unknown state: later releases of Kueue may add some. */
    private static Optional<Check> read(WorkloadResource.Check check) {
        return Arrays.stream(State.values())
                .filter(state -> state.word().equals(check.state()))
                .findFirst()
                .map(
                        state ->
                                new Check(
                                        check.name(),
                                        state,
                                        Objects.requireNonNullElse(check.message(), ""),
                                        check.lastTransitionTime()));
    }

    private static Map<String, Map<String, String>> annotations(WorkloadResource.Spec spec) {
        Map<String, Map<String, String>> all = new HashMap<>();
        for (WorkloadResource.PodSet set : spec.podSets()) {
            all.put(
                    set.name(),
                    Optional.ofNullable(set.template())
                            .map(WorkloadResource.Template::metadata)
                            .map(ObjectMeta::getAnnotations)
                            .map(Map::copyOf)
                            .orElse(Map.of()));
        }
        return Map.copyOf(all);
    }

    private static Optional<Condition> inForce(List<Condition> conditions, String type) {
        return conditions.stream()
                .filter(condition -> type.equals(condition.getType()))
                .filter(condition -> "True".equals(condition.getStatus()))
                .findFirst();
    }

    @Override
    public PinOwner holder(ReservedWorkload workload) {
        return owners.holder(
                new PinOwner(
                        WorkloadKind.WORKLOAD.name(),
                        workload.namespace(),
                        workload.name(),
                        workload.uid()),
                workload.owner());
    }

    @Override
    public void tell(ReservedWorkload workload, String message) {
        write(workload, State.PENDING, message, Set.of());
    }

    @Override
    public void admit(ReservedWorkload workload, String message, Set<String> late) {
        write(workload, State.READY, message, late);
    }

    @Override
    public void reject(ReservedWorkload workload, String message) {
        write(workload, State.REJECTED, message, Set.of());
    }

    private void write(ReservedWorkload workload, State state, String text, Set<String> late) {
        String message =
                text.length() <= MOST_CHARACTERS ? text : text.substring(0, MOST_CHARACTERS);
        if (workload.checks().stream().allMatch(check -> says(check, state, message))) {
            return;
        }
        WorkloadResource patch = new WorkloadResource();
        patch.setMetadata(
                new ObjectMetaBuilder()
                        .withNamespace(workload.namespace())
                        .withName(workload.name())
                        .withUid(workload.uid())
                        // If the Workload has lost its quota since, this answer must not apply.
                        .withResourceVersion(workload.resourceVersion())
                        .build());
        ObjectNode status = JsonNodeFactory.instance.objectNode();
        ArrayNode all = status.putArray("admissionChecks");
        for (Check check : workload.checks()) {
            ObjectNode entry = all.addObject();
            entry.put("name", check.name());
            entry.put("state", state.word());
            entry.put("message", message);
            entry.put("lastTransitionTime", check.state() == state ? check.since() : now());
            // Written even if empty, so that an update of an earlier answer does not stay.
            ArrayNode updates = entry.putArray("podSetUpdates");
            for (String set : late) {
                ObjectNode update = updates.addObject().put("name", set);
                update.putObject("annotations").put(Pods.LATE, "true");
            }
        }
        apply(patch, status);
    }

    private static boolean says(Check check, State state, String message) {
        return check.state() == state && check.message().equals(message);
    }

    /** Patches an object, because with only its name the client would get it first. */
    private void apply(HasMetadata object, ObjectNode status) {
        ObjectNode patch =
                client.getKubernetesSerialization().convertValue(object, ObjectNode.class);
        patch.set("status", status);
        var _ =
                ApiServer.tell(
                        "change the status of a Workload or an AdmissionCheck",
                        CHANGED,
                        () ->
                                client.resource(object)
                                        .subresource("status")
                                        .patch(APPLIED, patch.toString()));
    }

    private String now() {
        return clock.instant().truncatedTo(ChronoUnit.SECONDS).toString();
    }

    @Override
    public void close() {
        workloads.close();
        checks.close();
    }
}
